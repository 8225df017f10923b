/** Inputs of the rules of activity, read from a server. Instants in ms; null where there is no value. */
export type ActivityReading = Readonly<{
  activeTime: number | null
  sessions: number | null
  /** Client backends in any state but idle, the service's own excluded. */
  busyBackends: number
  /** The newest change of state among those backends. */
  lastStateChange: number | null
  replications: number
  subscriptions: number
  autovacuumWorkers: number
}>

export type ActivityBaseline = Readonly<{
  /** Reading before this one; undefined for the first one of a start, which only sets the baseline of rule 1. */
  earlier: ActivityReading | undefined
  lastActive: number | undefined
  /** Whether the first rule applies. */
  rule1: boolean
}>

/**
 * Instant of activity by the first rule that holds (service-facts 9); undefined when none does.
 * 1. The counters of active time or of sessions have moved since the previous reading: now.
 * 2. A client backend is busy: now; otherwise the newest change of state after the last activity.
 * 3. to 5. There is a replication, a subscription or an autovacuum worker: now.
 */
export function detectActivity(
  reading: ActivityReading,
  { earlier, lastActive, rule1 }: ActivityBaseline,
  now: number,
): number | undefined {
  const { lastStateChange } = reading
  if (rule1 && earlier && countersMoved(earlier, reading)) return now
  if (reading.busyBackends > 0) return now
  if (lastStateChange !== null && lastStateChange > (lastActive ?? -Infinity)) return lastStateChange
  return reading.replications + reading.subscriptions + reading.autovacuumWorkers > 0 ? now : undefined
}

const countersMoved = (earlier: ActivityReading, later: ActivityReading): boolean =>
  later.activeTime !== earlier.activeTime || later.sessions !== earlier.sessions
