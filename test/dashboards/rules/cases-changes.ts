import { computeInfo, ONE, OWNED, projectInfo, series, type Case, type Firing, type Series } from './case.ts'

const SIZING = { ...ONE, kind: 'sizing' } as const
const DELAY = { ...ONE, kind: 'delay' } as const

const fires = (severity: Firing['severity'], kind: string, says: string): Firing => ({
  severity,
  labels: { ...OWNED, kind },
  summary: `The change of kind ${kind} of compute ep-one of project-one ${says}`,
})
const failure = (kind: string): Firing => fires('critical', kind, 'failed.')
const pending = (kind: string, time: string): Firing => fires('warning', kind, `has been open for ${time}.`)

const DEFAULTS = { project_id: 'project-one', endpoint_id: '', kind: 'defaults' } as const

const failedAt = (
  labels: typeof SIZING | typeof DELAY | typeof DEFAULTS,
  values: string,
  replica?: string,
): Series => series('compute_change_last_failure_timestamp_seconds', labels, values, replica)
const openSince = (labels: typeof SIZING | typeof DELAY, values: string): Series =>
  series('compute_change_pending_since_timestamp_seconds', labels, values)

const FAILED: readonly Case[] = [
  {
    title: 'a failure, for a quarter of an hour; a later one of the same compute fires again',
    alert: 'ChangeFailed',
    step: '1m',
    series: [computeInfo('1x100'), failedAt(SIZING, '_x10 600x49 3600x40')],
    checks: [
      ['9m', []],
      ['10m', [failure('sizing')]],
      ['24m', [failure('sizing')]],
      ['26m', []],
      ['61m', [failure('sizing')]],
      ['76m', []],
    ],
  },
  {
    title: 'two kinds at once, one seen by two replicas: an alert each',
    alert: 'ChangeFailed',
    step: '1m',
    series: [
      computeInfo('1x30'),
      failedAt(SIZING, '0x30'),
      failedAt(DELAY, '60x30'),
      failedAt(SIZING, '0x30', 'two:9477'),
    ],
    checks: [['5m', [failure('sizing'), failure('delay')]]],
  },
  {
    title: 'replicas that name different owners: an alert each',
    alert: 'ChangeFailed',
    step: '1m',
    series: [
      computeInfo('1x30'),
      computeInfo('1x30', { team: 'billing', tier: 'dev' }, 'two:9477'),
      failedAt(SIZING, '0x30'),
      failedAt(SIZING, '0x30', 'two:9477'),
    ],
    checks: [
      [
        '5m',
        [
          failure('sizing'),
          { ...failure('sizing'), labels: { ...OWNED, kind: 'sizing', team: 'billing', tier: 'dev' } },
        ],
      ],
    ],
  },
  {
    title: 'a failure of defaults, of the owner of the project',
    alert: 'ChangeFailed',
    step: '1m',
    series: [projectInfo('1x30'), failedAt(DEFAULTS, '_x10 600x20')],
    checks: [
      ['9m', []],
      [
        '12m',
        [
          {
            severity: 'critical',
            labels: { project_id: 'project-one', team: 'payments', tier: 'dev', kind: 'defaults' },
            summary: 'The change of kind defaults of project-one failed.',
          },
        ],
      ],
    ],
  },
  {
    title: 'a failure of long ago, read from the store after a restart',
    alert: 'ChangeFailed',
    step: '1m',
    series: [computeInfo('1x60'), failedAt(SIZING, '_x30 0x30')],
    checks: [['45m', []]],
  },
]

const PENDING: readonly Case[] = [
  {
    title: 'open for a week and an hour, until it ends',
    alert: 'ChangePendingTooLong',
    step: '15m',
    series: [computeInfo('1x800'), openSince(SIZING, '0x700 stale'), openSince(DELAY, '360000x800')],
    checks: [
      ['168h', []],
      ['168h45m', []],
      ['170h', [pending('sizing', '7d 2h 0m 0s')]],
      ['176h', []],
    ],
  },
  {
    title: 'a week of changes, each open for a day',
    alert: 'ChangePendingTooLong',
    step: '15m',
    series: [computeInfo('1x800'), openSince(SIZING, '0x95 86400x95 172800x95 259200x500')],
    checks: [['170h', []]],
  },
]

const BRAKES: readonly Case[] = [
  {
    title: 'the kill switch of one of two daemons, until it is released',
    alert: 'BrakeEngaged',
    step: '1m',
    series: [
      series('brake_engaged', { brake: 'kill_switch' }, '0x9 1x10 0x20'),
      series('brake_engaged', { brake: 'kill_switch' }, '0x40', 'two:9477'),
    ],
    checks: [
      ['5m', []],
      ['14m', []],
      [
        '16m',
        [
          {
            severity: 'warning',
            labels: { brake: 'kill_switch', instance: 'one:9477' },
            summary: 'Dormouse at one:9477: the brake kill_switch is engaged: changes wait.',
          },
        ],
      ],
      ['25m', []],
    ],
  },
  {
    title: 'the hold-off after each start is no problem',
    alert: 'BrakeEngaged',
    step: '1m',
    series: [series('brake_engaged', { brake: 'hold_off' }, '1x30')],
    checks: [['20m', []]],
  },
]

export const CHANGE_CASES: readonly Case[] = [...FAILED, ...PENDING, ...BRAKES]
