// Passes of an audit over a service in memory. What it finds: test/ledger/audit/, test/cli/commands/audit.test.ts.
import { expect, test } from 'vitest'
import { auditAccount, type AuditProgress } from '../../../src/daemon/accounts/audit.ts'
import { createPolicies } from '../../../src/model/policy/policies.ts'
import { DEFAULT_ADVICE_NEEDS, DEFAULT_MIN_SAVING } from '../../../src/model/policy/advice-policy.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import type { Service, ServiceOperations } from '../../../src/model/ports/service.ts'
import { configuredPage } from '../../../src/service/configured-projects.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { seeded } from '../../simulation/seeded.ts'
import { compute, operation, preset, prices, project } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { noRedactor } from '../../support/secrets.ts'
import { UNASKED } from '../../support/unasked.ts'

const GONE = failed({ kind: 'gone', message: 'no such route' } as const)

function portsOf(answers: Partial<ServiceOperations>): Ports {
  const kept = memoryStore()
  const service: Service = {
    ...UNASKED,
    listOperations: () => Promise.resolve(ok({ items: [], problems: [] })),
    getProjectDetail: () => Promise.resolve(GONE),
    listConsumption: () => Promise.resolve(ok({ kind: 'none', because: 'absent', message: '' } as const)),
    listKeys: () => Promise.resolve(ok({ items: [], problems: [] })),
    ...answers,
    at: () => service,
  }
  return {
    redact: noRedactor.redact,
    clock: fakeClock(),
    serviceTime: { estimate: () => undefined },
    random: seeded(1),
    service,
    readings: {
      refusalOf: () => 'no-dsn',
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read: () => Promise.reject(new Error('nobody reads')),
    },
    store: kept.account('audit'),
    epoch: kept.epoch,
    history: kept,
    send: () => Promise.resolve([]),
  }
}

const PLAN = {
  prices,
  preset,
  needs: DEFAULT_ADVICE_NEEDS,
  policies: createPolicies([]),
  minSaving: DEFAULT_MIN_SAVING,
  limitsOf: () => undefined,
}

test('all of 200 configured projects are looked at: each takes a request of its own in the list', async () => {
  const projectIds = Array.from({ length: 200 }, (_, index) => `p-${index}`)
  const ports = portsOf({
    listProjectsPage: (cursor) => {
      const [ids, next] = configuredPage(projectIds, cursor)
      const items = ids.map((projectId) => project({ projectId }))
      return Promise.resolve(ok({ items, problems: [], requests: ids.length, next }))
    },
    listComputes: (projectId) =>
      Promise.resolve(ok({ items: [compute({ projectId, endpointId: `ep-${projectId}` })], problems: [] })),
  })
  const { audit } = await auditAccount(
    { ports, plan: PLAN, hasConfiguredProjects: true, days: 7, onProgress: () => undefined },
    new AbortController().signal,
  )
  expect(audit?.computes).toBe(200)
})

test('all histories are read, also where one pass reads only a part of them', async () => {
  const projectIds = ['p-0', 'p-1', 'p-2', 'p-3', 'p-4']
  const read: string[] = []
  const shown: AuditProgress[] = []
  const ports = portsOf({
    listProjectsPage: () =>
      Promise.resolve(
        ok({ items: projectIds.map((projectId) => project({ projectId })), problems: [], next: undefined }),
      ),
    listComputes: (projectId) =>
      Promise.resolve(ok({ items: [compute({ projectId, endpointId: `ep-${projectId}` })], problems: [] })),
    listOperations: (projectId) => {
      read.push(projectId)
      const items = Array.from({ length: 6000 }, (_, index) =>
        operation('check_availability', -index, { projectId, endpointId: `ep-${projectId}` }),
      )
      return Promise.resolve(ok({ items, problems: [] }))
    },
  })
  await auditAccount(
    { ports, plan: PLAN, hasConfiguredProjects: false, days: 7, onProgress: (one) => shown.push(one) },
    new AbortController().signal,
  )
  expect(read.toSorted()).toEqual(projectIds)
  expect(shown).toEqual([2, 4, 5].map((looked) => ({ projects: 5, looked })))
})
