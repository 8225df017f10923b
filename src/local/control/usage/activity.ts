/** Read from a server. Instants in ms; null for no value. */
export type ActivityReading = Readonly<{
  activeTime: number | null
  sessions: number | null
  /** Client backends that are not idle, the service's own excluded. */
  busyBackends: number
  /** The newest of those backends. */
  lastStateChange: number | null
  replications: number
  subscriptions: number
  autovacuumWorkers: number
}>

type ActivityBaseline = Readonly<{
  /** Undefined for the first reading of a start, the baseline of rule 1. */
  earlier: ActivityReading | undefined
  lastActive: number | undefined
  /** Whether rule 1 applies. */
  rule1: boolean
}>

/**
 * Activity by the first rule that holds (service-facts 9):
 * 1. Counters of active time or sessions moved: now.
 * 2. A client backend is busy: now; else the newest change of state after the last activity.
 * 3. to 5. A replication, a subscription or an autovacuum worker: now.
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

const countersMoved = (earlier: ActivityReading, later: ActivityReading) =>
  later.activeTime !== earlier.activeTime || later.sessions !== earlier.sessions
