/** What one poll of a server shows. Instants in ms; null where nothing counts. Source: service-facts 9. */
export type ActivityReading = {
  readonly activeTime: number | null
  readonly sessions: number | null
  /** Client backends in any state but idle, the service's own excluded. */
  readonly busyBackends: number
  /** The newest change of state among those backends. */
  readonly lastStateChange: number | null
  readonly replications: number
  readonly subscriptions: number
  readonly autovacuumWorkers: number
}

/** What was known before a reading: `earlier` is the reading before it, undefined for the first one of a start. */
export type ActivityBaseline = {
  readonly earlier: ActivityReading | undefined
  readonly lastActive: number | undefined
  /** Whether the first rule is on. */
  readonly rule1: boolean
}

/**
 * The instant of activity a reading shows, by the five rules, the first that applies; undefined when none does.
 *
 * The first reading of a start only sets the baseline of rule 1.
 */
export function detectActivity(
  reading: ActivityReading,
  known: ActivityBaseline,
  now: number,
): number | undefined {
  const { lastStateChange } = reading
  if (known.rule1 && known.earlier && countersMoved(known.earlier, reading)) return now
  if (reading.busyBackends > 0) return now
  if (lastStateChange !== null && lastStateChange > (known.lastActive ?? -Infinity)) return lastStateChange
  return reading.replications + reading.subscriptions + reading.autovacuumWorkers > 0 ? now : undefined
}

const countersMoved = (earlier: ActivityReading, later: ActivityReading): boolean =>
  later.activeTime !== earlier.activeTime || later.sessions !== earlier.sessions
