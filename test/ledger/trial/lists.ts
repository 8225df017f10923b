// What the lists of a service tell late, not at all, or as they should not.
import type { Project } from '../../../src/model/service/compute.ts'
import type { UnreadableOperations } from '../../../src/model/observation.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import type { Random } from '../../../src/model/ports/clock.ts'
import type { Instant } from '../../../src/model/units.ts'
import { START } from '../../local/control/build.ts'
import { seeded } from '../../simulation/seeded.ts'
import { pick, type Life } from './life.ts'

export const LATEST = 600_000
const HOUR = 3_600_000

/** Each operation is listed late by a time of its own, up to ten minutes. */
export const latenessOf =
  (seed: number) =>
  ({ operationId }: Operation): number => {
    const number = Number.parseInt(operationId.slice(-8), 16)
    return number % 3 === 0 ? seeded(seed + number).unit() * LATEST : 0
  }

/**
 * In some lives the records of some operations do not fit, for good; of half of these not even the compute can be told.
 * Where nobody ever looks at the compute, all of them fit: nothing else would tell of it.
 */
export function lossesOf(
  seed: number,
  isThere: boolean,
): {
  readonly isLost: (one: Operation) => boolean
  readonly toldOf: (one: Operation) => UnreadableOperations
} {
  const share = isThere ? pick(seeded(seed + 3e6), [0, 0, 0.03, 0.3]) : 0
  const drawn = ({ operationId }: Operation, salt: number): number =>
    seeded(seed + salt + Number.parseInt(operationId.slice(-8), 16)).unit()
  return {
    isLost: (one) => drawn(one, 1) < share,
    toldOf: (one) => ({ projectId: 'project-one', endpointId: drawn(one, 2) < 0.5 ? 'ep-one' : undefined }),
  }
}

/** What the project list shows of use. */
export type Counts = Pick<Project, 'cpuUsedSeconds' | 'activeSeconds'>

/** Nothing, the truth of some time ago, or what makes no sense. */
export function countsOf(random: Random): (life: Life, now: number) => Counts {
  const kind = pick(random, ['nothing', 'late', 'late', 'senseless'])
  const lag = pick(random, [0, 60_000, 900_000, 2 * HOUR])
  return (life, now) => {
    const { cuTime, awake } = life.used(Math.max(0, now - lag))
    const [cpuUsedSeconds, activeSeconds] = [Math.floor(cuTime / 1000), Math.floor(awake / 1000)]
    if (kind === 'nothing') return { cpuUsedSeconds: 0, activeSeconds: undefined }
    const factor = kind === 'senseless' ? pick(random, [0, 1, 1, 1, 1.1, 3, 10 ** 6]) : 1
    return { cpuUsedSeconds: Math.floor(cpuUsedSeconds * factor), activeSeconds }
  }
}

export const listedAt = (
  life: Life,
  {
    now,
    readAt,
    lateness,
  }: {
    readonly now: number
    /** As the daemon has it, who asks for those since then. */
    readonly readAt: Instant | undefined
    readonly lateness: (one: Operation) => number
  },
): readonly Operation[] =>
  life
    .operations()
    .filter(
      (one) => one.updatedAt + lateness(one) <= START + now && one.createdAt >= (readAt ?? START) - 900_000,
    )
