// Model of the service's autoscaler inside a range, in steps of five minutes.
//
// 1. Its target is the least size that holds the demand in 90 % of it, inside `[min, max]`.
// 2. The size goes up at once and down one step later.
// 3. A step whose demand exceeds its size is throttled. A step whose demand exceeds the size before is throttled for the 10 s that the
//    autoscaler takes.
import { largestCu, smallestCu, type Sizing } from '../../model/service/compute.ts'
import { sizeAtLeast } from '../../model/service/sizes.ts'
import type { Cu } from '../../model/units.ts'

/** Share of a size that the autoscaler lets CPU demand fill. Source: service-facts.md, "Goal CU". */
const FILLED = 0.9

/** Share of a five-minute step that passes before the size follows the demand: 10 s. */
const LAG = 10 / 300

/** Step of five minutes: its size, its share of throttled time, and the target that the next step starts from. */
type ScaledStep = Readonly<{ cu: Cu; throttled: number; target: Cu }>

/** @param before the step before; undefined at the start and after missing steps */
export function scaleStep(
  demand: number,
  { sizing, sizes }: { sizing: Sizing; sizes: readonly Cu[] },
  before: ScaledStep | undefined,
): ScaledStep {
  const [min, max] = [smallestCu(sizing), largestCu(sizing)]
  const wanted = sizeAtLeast(sizes, demand / FILLED)
  const target = wanted < min ? min : wanted > max ? max : wanted
  const held = before === undefined || before.target < target ? target : before.target
  const cu = held > max ? max : held
  const throttled = demand > cu ? 1 : before !== undefined && demand > before.cu ? LAG : 0
  return { cu, throttled, target }
}
