import { describe, expect, test } from 'vitest'
import { changeAnswerSchema, plansSchema } from '../../../src/outputs/text/change-schema.ts'
import { daemonOf, TOKENS, type ChangesDaemon } from '../../support/changes-daemon.ts'
import { cliOf } from '../daemon-cli.ts'

const hashOf = async (daemon: ChangesDaemon, id: string) =>
  plansSchema.parse(JSON.parse((await cliOf(daemon)('plan', id, '--json')).out)).plans[0]?.plan_hash ?? ''

describe('approve', () => {
  test('takes the hash in a script, and says so when it was done already', async () => {
    const daemon = await daemonOf()
    const approval = ['approve', 'ep-0.delay.1', '--plan-hash', await hashOf(daemon, 'ep-0.delay.1')]
    const first = await cliOf(daemon)(...approval)
    expect([first.code, first.out.split('\n')[0]]).toEqual([
      0,
      'ch-00000001 of ep-0: 300 s → autosuspend off, scheduled',
    ])
    const again = await cliOf(daemon, { token: TOKENS.cyd })(...approval)
    expect([again.code, again.out.split('\n')[1]]).toEqual([0, 'it was approved already by ann'])
  })

  test('shows the plan at a terminal and asks', async () => {
    const daemon = await daemonOf()
    const questions: string[] = []
    const confirm = (answer: boolean) => async (question: string) => {
      questions.push(question)
      return answer
    }
    const before = daemon.stored()
    const refused = await cliOf(daemon, { confirm: confirm(false) })('approve', 'ep-0.sizing.1')
    expect(refused).toMatchObject({ code: 1, err: 'dormouse: nothing was approved\n' })
    expect(refused.out).toMatch(/^ep-0 shop of zero: 1 CU → 0\.25–1 CU\n/)
    expect(daemon.stored()).toBe(before)
    const agreed = await cliOf(daemon, { confirm: confirm(true) })('approve', 'ep-0.sizing.1')
    expect([agreed.code, agreed.out]).toEqual([
      0,
      expect.stringContaining('ch-00000001 of ep-0: 1 CU → 0.25–1 CU, scheduled'),
    ])
    expect(questions).toEqual(['Approve this?', 'Approve this?'])
  })

  test('at a terminal prints its JSON alone', async () => {
    const daemon = await daemonOf()
    const cli = cliOf(daemon, { confirm: () => Promise.resolve(true) })
    const { code, out, err } = await cli('approve', 'ep-0.delay.1', '--json')
    expect([code, changeAnswerSchema.parse(JSON.parse(out)).change.state]).toEqual([0, 'scheduled'])
    expect(err).toMatch(/plan hash: /)
  })

  test('at a terminal refuses a compute, of which there may be several plans', async () => {
    const daemon = await daemonOf()
    const before = daemon.stored()
    const cli = cliOf(daemon, { confirm: () => Promise.resolve(true) })
    for (const name of ['shop', 'ep-3'])
      expect(await cli('approve', name)).toEqual({
        code: 2,
        out: '',
        err: `dormouse: expected the id of a recommendation or of a change, got ${name}\n`,
      })
    expect(daemon.stored()).toBe(before)
  })
})
