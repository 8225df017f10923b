// Computes that Terraform manages: the whole daemon on virtual time, and a test that applies the text of the recommendation.
import { decidedCompute } from '../../../../src/model/output/policy-decision.ts'
import { expect, test } from 'vitest'
import { adviceContext } from '../../../../src/daemon/history/recommendations.ts'
import { seconds } from '../../../../src/model/units.ts'
import { recommendation } from '../../../support/recommendations.ts'
import { inWorld, type World } from './foreign-world.ts'

const LONGER = { from: { delay: seconds(300) }, to: { delay: seconds(900) } }
/** Of all computes, and of this one. */
const POLICIES = 'mode: apply, levers: [delay] }, { match: { project: shop }, managed_by: terraform'

async function recommended({ daemon, recommendations, config }: World) {
  const snapshot = daemon().runners.snapshot()
  const [one] = await recommendations()
  if (!snapshot || !one) throw new Error('nothing is recommended')
  const { managerOf } = config.policies
  return adviceContext(snapshot, 'main', { baseUrlOf: () => '', managerOf }).jsonOf(one)
}

/** As Terraform reads the text. */
const attributesOf = (patch: string | null) =>
  Object.fromEntries(
    [...(patch ?? '').matchAll(/^ {2}(\w+) += (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  )

test('the text is applied by somebody else: recognised, followed, and nothing sent', async () => {
  await inWorld({ policy: POLICIES, recommendations: [LONGER] }, async (world) => {
    await world.passes(3600)
    const open = await recommended(world)
    expect(open.state).toBe('open')
    expect(attributesOf(open.patch)).toEqual({ suspend_timeout_seconds: 900 })

    await world.set(attributesOf(open.patch))
    await world.passes(3600)
    expect(await recommended(world)).toMatchObject({ id: open.id, state: 'implemented' })
    const advice = world.daemon().runners.snapshot()?.computes[0]?.advice ?? []
    expect(advice.map(({ id }) => id)).not.toContain(open.id)
    expect([world.sent, await world.changes()]).toEqual([[], []])
    const [view] = world.daemon().runners.snapshot()?.computes ?? []
    expect(view && world.daemon().runners.decisionOf(decidedCompute(view))?.policy).toMatchObject({
      managedBy: 'terraform',
      path: 'policies[1]',
    })
  })
})

test('a project that Terraform manages has a text for its defaults', async () => {
  await inWorld({ policy: POLICIES, recommendations: [LONGER] }, async ({ passes, daemon, config }) => {
    await passes(600)
    const snapshot = daemon().runners.snapshot()
    const [view] = snapshot?.computes ?? []
    if (!snapshot || !view) throw new Error('nothing is known')
    const { account, projectId } = view.identity.ref
    const ofProject = recommendation({ kind: 'defaults', ref: { account, projectId } })
    const { managerOf } = config.policies
    const { patch } = adviceContext(snapshot, account, { baseUrlOf: () => '', managerOf }).jsonOf(ofProject)
    expect(patch).toContain(`resource "neon_project" "${projectId}" {`)
  })
})

test('another value is not set back', async () => {
  await inWorld({ policy: POLICIES, recommendations: [LONGER] }, async (world) => {
    await world.passes(600)
    await world.set({ suspend_timeout_seconds: 400 })
    await world.passes(3600)
    expect([world.sent, await world.changes()]).toEqual([[], []])
  })
})
