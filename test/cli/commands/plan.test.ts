import { expect, test } from 'vitest'
import { at } from '../../support/build.ts'
import { daemonOf } from '../../support/changes-daemon.ts'
import { cliOf } from '../daemon-cli.ts'

test('a plan says when each change may go, and what schedules and the ends of budgets set within seven days', async () => {
  const yaml = [
    'windows: { office: "Mon 08:00-19:00" }',
    'policies: [{ mode: apply, levers: [delay], autosuspend: { schedule: [{ in: office, delay: 15m }] } }]',
    '',
  ].join('\n')
  const slot = { from: at(10_800), to: at(14_400) }
  const daemon = await daemonOf({
    yaml,
    slotOf: () => slot,
    putBacks: [{ budget: 'preview', at: at(86_400), kind: 'delay', computes: 3 }],
  })
  const cli = cliOf(daemon)
  await cli('change', 'shop', '--max-cu', '2')
  const { out } = await cli('plan')
  expect(out).toContain(
    '  windows, freezes, holds and brakes let it go from 2026-01-05T03:00:00Z until 2026-01-05T04:00:00Z\n',
  )
  expect(out).toContain(
    [
      'within seven days schedules set these delays, and put them back:',
      '  office: 900 s for 5 computes from 2026-01-05T08:00:00Z until 2026-01-05T19:00:00Z',
      'within seven days what budgets set is put back, where it still holds:',
      '  preview: the delay of 3 computes at 2026-01-06T00:00:00Z\n',
    ].join('\n'),
  )
})
