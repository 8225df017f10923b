// Modes whose answers are hostile in what their JSON says.
import {
  computesText,
  computesWith,
  compute,
  everywhere,
  json,
  on,
  operation,
  pick,
  project,
  PROJECTS,
  send,
  times,
  iso,
  type Mode,
} from './answers.ts'

/** A label, a line and a comment of the text format, an escape sequence of terminals and a mark of bidirectional text. */
const INJECTED = 'a"} 1\ndormouse_forged_total 666\n# TYPE x counter\n\\" \u001b[2J \u202e <script>'
const ODD_DATES = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+23:59',
  '1969-12-31T23:59:59Z',
  '9999-12-31T23:59:59Z',
  '2026-02-30T00:00:00Z',
  `2026-01-01T00:00:00.${'9'.repeat(50_000)}Z`,
  '+275760-09-13T00:00:00Z',
  'now',
  '',
]
const ODD_HOSTS = [
  'evil.test:18432/x?sslmode=disable&a=',
  '/var/run/postgresql',
  '::1',
  'a b',
  'x'.repeat(100_000),
  '..',
  'user:secret@evil.test',
  '',
]
const ODD_NUMBERS = [
  '1e308',
  '1e999',
  '-1',
  '0',
  '-0.0',
  '4.9e-324',
  '9007199254740993',
  'null',
  '"1"',
  '[]',
  'true',
]
const MANY_COMPUTES = json(({ projectId }) => ({
  endpoints: times(7000, (index) => compute(`ep-${index}`, projectId)),
}))

const ZEROS = send(`{"endpoints":[${'0,'.repeat(499_999)}0],"operations":[${'0,'.repeat(499_999)}0]}`)

const ESCAPED = {
  projects: json(() => ({
    projects: PROJECTS.map((id) =>
      project(id, { name: INJECTED, region_id: INJECTED, platform_id: INJECTED }),
    ),
  })),
  computes: computesWith(() => ({
    name: INJECTED,
    region_id: INJECTED,
    pending_state: INJECTED,
    type: INJECTED,
  })),
  operations: json(({ projectId, count }) => ({
    operations: [operation(`op-${count}`, projectId, { action: INJECTED, status: INJECTED })],
  })),
} satisfies Mode

export const CONTENT_MODES = {
  'nested arrays': on(['computes', 'operations'], computesText('['.repeat(500_000) + ']'.repeat(500_000))),
  'nested objects': everywhere(send('{"projects":'.repeat(80_000) + '1' + '}'.repeat(80_000))),
  zeros: on(['computes', 'operations'], ZEROS),
  'zeros as projects': { projects: send(`{"projects":[${'0,'.repeat(499_999)}0]}`) },
  'empty arrays': on(
    ['computes', 'operations'],
    send(`{"endpoints":[${'[],'.repeat(2_000_000)}0],"operations":[]}`),
  ),
  'unavailable ids': {
    projects: json(() => ({
      projects: [],
      unavailable_project_ids: times(200_000, (index) => `p-${index}`),
    })),
  },
  escaped: ESCAPED,
  /** One project of zeros, one of control characters, one of computes without number. */
  'several at once': {
    ...ESCAPED,
    computes: (exchange) => {
      const answers = [ZEROS, ESCAPED.computes, MANY_COMPUTES]
      pick(answers, PROJECTS.indexOf(exchange.projectId))(exchange)
    },
  },
  'odd dates': {
    computes: computesWith(({ count }) => ({
      created_at: pick(ODD_DATES, count),
      started_at: pick(ODD_DATES, count + 1),
      last_active: pick(ODD_DATES, count + 2),
    })),
    operations: json(({ projectId, count }) => ({
      operations: times(9, (index) =>
        operation(`op-${count}-${index}`, projectId, {
          created_at: pick(ODD_DATES, index),
          updated_at: pick(ODD_DATES, index),
        }),
      ),
    })),
  },
  'old dates': {
    computes: computesWith(() => ({
      created_at: '0001-01-01T00:00:00Z',
      started_at: '0001-01-02T00:00:00Z',
      last_active: '0001-01-02T00:00:00Z',
    })),
    operations: json(({ projectId }) => ({
      operations: [
        operation('op-1', projectId, {
          created_at: '0001-01-01T00:00:00Z',
          updated_at: '0001-01-01T00:00:01Z',
        }),
      ],
    })),
  },
  'odd hosts': { computes: computesWith(({ count }) => ({ host: pick(ODD_HOSTS, count) })) },
  'odd numbers': {
    computes: ({ projectId, count, ...exchange }) => {
      const odd = pick(ODD_NUMBERS, count)
      const text = JSON.stringify({ endpoints: [compute('ep-one-1', projectId)] })
      send(
        text
          .replace('"autoscaling_limit_max_cu":2', `"autoscaling_limit_max_cu":${odd}`)
          .replace('"suspend_timeout_seconds":300', `"suspend_timeout_seconds":${odd}`),
      )({ projectId, count, ...exchange })
    },
    projects: (exchange) => {
      const text = JSON.stringify({ projects: PROJECTS.map((id) => project(id)) })
      send(
        text.replaceAll(
          /"(pg_version|cpu_used_sec)":\d+/g,
          (_, name: string) => `"${name}":${pick(ODD_NUMBERS, exchange.count)}`,
        ),
      )(exchange)
    },
  },
  'projects without end': {
    projects: json(({ count }) => ({
      projects: times(400, (index) => project(`p-${count}-${index}`)),
      pagination: { cursor: `c${count}` },
    })),
  },
  'long cursors': {
    projects: json(({ count }) => ({
      projects: PROJECTS.map((id) => project(id)),
      pagination: { cursor: `${count}${'c'.repeat(1_000_000)}` },
    })),
  },
  'one cursor': {
    projects: json(() => ({ projects: PROJECTS.map((id) => project(id)), pagination: { cursor: 'c' } })),
  },
  'operations without end': {
    operations: json(({ count, projectId }) => ({
      operations: times(1000, (index) =>
        operation(`op-${count}-${index}`, projectId, {
          action: index % 2 ? 'start_compute' : 'suspend_compute',
        }),
      ),
      pagination: { cursor: `c${count}` },
    })),
  },
  'more than asked': {
    projects: json(() => ({ projects: times(20_000, (index) => project(`p-${index}`)) })),
  },
  'many computes': { computes: MANY_COMPUTES },
  'duplicate ids': on(
    ['projects', 'computes', 'operations'],
    json(({ projectId }) => ({
      projects: times(5000, () => project('quiet-one-1')),
      endpoints: times(5000, () => compute('ep-one-1', projectId)),
      operations: times(5000, () => operation('op-1', projectId)),
    })),
  ),
  'foreign projects': {
    computes: json(({ count }) => ({
      endpoints: times(3000, (index) => compute(`ep-${count}-${index}`, `p-${count}-${index}`)),
    })),
  },
  'enormous ids': {
    projects: json(() => ({ projects: [...PROJECTS, 'p'.repeat(500_000)].map((id) => project(id)) })),
    computes: json(({ projectId, count }) => ({
      endpoints: [
        compute(`ep-${count}${'x'.repeat(500_000)}`, projectId),
        compute('ep-one-1', projectId, { branch_id: `br-${'y'.repeat(500_000)}` }),
      ],
    })),
  },
  'enormous names': {
    projects: json(({ count }) => ({
      projects: PROJECTS.map((id) =>
        project(id, { name: `${count}${'n'.repeat(1_000_000)}`, region_id: 'r'.repeat(500_000) }),
      ),
    })),
    computes: computesWith(({ count }) => ({
      name: `${count}${'n'.repeat(1_000_000)}`,
      pending_state: 's'.repeat(500_000),
      region_id: 'r'.repeat(500_000),
    })),
    operations: json(({ projectId, count }) => ({
      operations: [
        operation(`op-${count}`, projectId, { action: 'a'.repeat(500_000), status: 's'.repeat(500_000) }),
      ],
    })),
  },
  'new problems': {
    computes: json(({ projectId, count }) => ({
      endpoints: times(5000, (index) => compute(`ep-${count}-${index}`, projectId, { current_state: count })),
    })),
  },
  'new actions': {
    operations: json(({ projectId, count }) => ({
      operations: times(1000, (index) =>
        operation(`op-${count}-${index}`, projectId, {
          action: `a-${count}-${index}`,
          created_at: iso(1000),
          updated_at: iso(0),
        }),
      ),
    })),
  },
  'keys of prototypes': everywhere(
    send(
      '{"__proto__":{"ok":true},"constructor":{"prototype":{"x":1}},"projects":[{"__proto__":[]}],"endpoints":{"length":9e9},"operations":{"__proto__":null}}',
    ),
  ),
} as const satisfies Readonly<Record<string, Mode>>
