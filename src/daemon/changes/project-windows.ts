// When the service updates projects, for changes that policies make: read where one waits to restart a compute, and once a day at most.
/* oxlint-disable no-await-in-loop -- few projects, and the passes come first */
import { createWindow, type Window } from '../../calendar/window.ts'
import { createUtc } from '../../calendar/zone.ts'
import type { ProjectWindows } from '../../decide/policy-hold.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import { restartsCompute, type Change } from '../../model/policy/change.ts'
import { SERVICE_WINDOW, type RestartRules } from '../../model/policy/change-policy.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Send } from '../../model/ports/outbox.ts'
import type { Service } from '../../model/ports/service.ts'
import { commit, eventWrites, type AccountStore } from '../../model/ports/store.ts'
import type { ProjectDetail } from '../../model/service/consumption.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import { MINUTE, instant, seconds, type Instant, type Seconds } from '../../model/units.ts'
import type { DaemonEnvironment } from '../environment.ts'

type ProjectWindowsOptions = Readonly<{
  account: string
  clock: Pick<Clock, 'monotonic'>
  service: Pick<Service, 'at'>
  store: Pick<AccountStore, 'commit'>
  /** Takes events that are stored already. */
  send: Send
  epoch: number
  /** Service time. */
  now: () => Instant
  /** By the policy of the compute; undefined where there is none any more. */
  rulesOf: (change: Change) => RestartRules | undefined
  log: Pick<DaemonEnvironment['log'], 'warn' | 'error'>
}>

/** Seconds between two reads of a project: updates are announced a day ahead, most of them several. Source: service-facts.md, §3. */
const READ_INTERVAL = seconds(86_400)
/** Seconds from a read that failed to the next. */
const RETRY_INTERVAL = seconds(3600)
/** Seconds; somebody may have moved a window that was read earlier. */
const MAX_AGE = seconds(2 * READ_INTERVAL)
/** How long before an announced update it allows changes: proposed, not measured (changing.md, §1). */
const BEFORE_UPDATE = 30 * MINUTE

/** Times are those of the monotonic clock. */
type Known = Readonly<{ windows: ProjectWindows; readOn: Seconds }>

export function createProjectWindows(options: ProjectWindowsOptions) {
  const { account, clock, service, store, send, epoch, now, rulesOf, log } = options
  const zone = createUtc()
  const known = new Map<string, Known>()
  const dueOn = new Map<string, Seconds>()
  const reported = new Set<string>()
  let isReading = false

  const windowsOf = ({ maintenanceHours, maintenanceAt }: ProjectDetail): ProjectWindows => {
    const except: ReadonlySet<never> = new Set()
    const hours = maintenanceHours === undefined ? [] : [maintenanceHours]
    const recurrences = hours.flatMap((each) =>
      each === 'unreadable' ? [] : [{ kind: 'weekly' as const, ...each, except, zone }],
    )
    return {
      service: maintenanceHours === 'unreadable' ? undefined : createWindow(recurrences),
      beforeUpdate: maintenanceAt === undefined ? undefined : windowBefore(maintenanceAt),
    }
  }

  async function read(projectId: string, signal: AbortSignal): Promise<void> {
    const detail = await service.at('report').getProjectDetail(projectId, signal)
    if (signal.aborted) return
    const on = clock.monotonic()
    dueOn.set(projectId, seconds(on + (detail.ok ? READ_INTERVAL : RETRY_INTERVAL)))
    if (!detail.ok) {
      const problem = serviceErrorText(detail.error)
      log.warn({ account, projectId, problem }, 'when the service updates a project could not be read')
      return
    }
    known.set(projectId, { windows: windowsOf(detail.value), readOn: on })
    if (detail.value.maintenanceHours !== 'unreadable') reported.delete(projectId)
    else if (!reported.has(projectId)) await report(projectId)
  }

  async function report(projectId: string): Promise<void> {
    const event: Event = {
      account,
      at: now(),
      kind: 'problem',
      where: `project ${projectId}`,
      message: 'settings.maintenance_window is not readable: the window service of its policies stays closed',
    }
    await commit(store, eventWrites([event]), { epoch })
    await send([event])
    reported.add(projectId)
  }

  return {
    /** Undefined where they were not read lately. */
    of: (projectId: string): ProjectWindows | undefined => {
      const found = known.get(projectId)
      return found && clock.monotonic() - found.readOn <= MAX_AGE ? found.windows : undefined
    },
    /** Reads what is due for open changes, beside the caller. Never rejects. */
    refresh: async (open: readonly Change[], signal: AbortSignal): Promise<void> => {
      const waiting = open.filter((change) => waitsToRestart(change) && dependsOnProject(rulesOf(change)))
      if (isReading || waiting.length === 0) return
      isReading = true
      try {
        for (const projectId of new Set(waiting.map(({ ref }) => ref.projectId)))
          if (!signal.aborted && (dueOn.get(projectId) ?? 0) <= clock.monotonic())
            await read(projectId, signal)
      } catch (err) {
        log.error({ err, account }, 'when the service updates projects could not be read')
      }
      isReading = false
    },
  }
}

const waitsToRestart = ({ when, kind, state }: Change): boolean =>
  when === 'policy' && restartsCompute(kind) && state.at === 'scheduled'

/** What goes only while the compute is suspended needs no window. */
const dependsOnProject = (rules: RestartRules | undefined): boolean =>
  rules !== undefined &&
  (rules.when.includes('quiet') || rules.when.includes('window') || rules.deny.includes(SERVICE_WINDOW))

const windowBefore = (at: Instant): Window =>
  createWindow([{ kind: 'once', from: instant(at - BEFORE_UPDATE), to: at }])
