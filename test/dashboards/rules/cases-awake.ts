import { computeInfo, firesFor, ONE, series, type Case } from './case.ts'

const NEVER_SUSPENDS: readonly Case[] = [
  {
    title: 'awake for a day with a delay of five minutes; it is deleted, and the alert ends',
    alert: 'ComputeNeverSuspends',
    step: '15m',
    series: [
      computeInfo('1x104 stale'),
      series('compute_awake_since_timestamp_seconds', ONE, '0x104 stale'),
      series('compute_autosuspend_delay_seconds', ONE, '300x104 stale'),
    ],
    checks: [
      ['23h', []],
      ['24h15m', []],
      ['25h', firesFor('warning', 'has been awake for 1d 1h 0m 0s.')],
      ['26h15m', []],
    ],
  },
  {
    title: 'a delay of a day is not "never"',
    alert: 'ComputeNeverSuspends',
    step: '15m',
    series: [
      computeInfo('1x400'),
      series('compute_awake_since_timestamp_seconds', ONE, '0x400'),
      series('compute_autosuspend_delay_seconds', ONE, '86400x400'),
    ],
    checks: [
      ['72h', []],
      ['97h', firesFor('warning', 'has been awake for 4d 1h 0m 0s.')],
    ],
  },
  {
    title: 'one that never suspends by its settings is not this alert',
    alert: 'ComputeNeverSuspends',
    step: '15m',
    series: [computeInfo('1x200'), series('compute_awake_since_timestamp_seconds', ONE, '0x200')],
    checks: [['48h', []]],
  },
]

const DISABLED: readonly Case[] = [
  {
    title: 'off for a day, then on',
    alert: 'AutosuspendDisabled',
    step: '15m',
    series: [computeInfo('1x120'), series('compute_autosuspend_enabled', ONE, '0x100 1x19')],
    checks: [
      ['23h', []],
      ['25h', firesFor('info', 'never suspends: autosuspend is off.')],
      ['26h', []],
    ],
  },
  {
    title: 'on',
    alert: 'AutosuspendDisabled',
    step: '15m',
    series: [computeInfo('1x120'), series('compute_autosuspend_enabled', ONE, '1x120')],
    checks: [['25h', []]],
  },
  {
    title: 'off on purpose: what matters most stays awake',
    alert: 'AutosuspendDisabled',
    step: '15m',
    series: [
      computeInfo('1x120', { team: 'payments', tier: 'prod' }),
      series('compute_autosuspend_enabled', ONE, '0x120'),
    ],
    checks: [['25h', []]],
  },
]

const FLAPPING: readonly Case[] = [
  {
    title: 'a wake every four minutes',
    alert: 'ComputeFlapping',
    step: '1m',
    series: [computeInfo('1x200'), series('compute_wakes_total', ONE, `${steps(4, 24)} 24x104`)],
    checks: [
      ['30m', []],
      ['90m', firesFor('warning', 'woke 15 times within an hour.')],
      ['190m', []],
    ],
  },
  {
    title: 'a wake every six minutes',
    alert: 'ComputeFlapping',
    step: '1m',
    series: [computeInfo('1x120'), series('compute_wakes_total', ONE, steps(6, 20))],
    checks: [['90m', []]],
  },
  {
    title: 'many wakes, all long ago',
    alert: 'ComputeFlapping',
    step: '1m',
    series: [computeInfo('1x120'), series('compute_wakes_total', ONE, '5000x120')],
    checks: [['90m', []]],
  },
  {
    title: 'thirteen at once, which last no five minutes within the hour',
    alert: 'ComputeFlapping',
    step: '1m',
    series: [computeInfo('1x120'), series('compute_wakes_total', ONE, '0x60 13x3 0x56')],
    checks: [['63m', []]],
  },
]

/** A counter that grows by 1 every `minutes`, `times` times. */
function steps(minutes: number, times: number): string {
  return Array.from({ length: times }, (_, at) => `${at}x${minutes - 1}`).join(' ')
}

const spend = (values: string) => series('compute_spend_total', { ...ONE, currency: 'USD' }, values)
const unproductive = (values: string) =>
  series('compute_unproductive_spend_total', { ...ONE, currency: 'USD' }, values)

const UNPRODUCTIVE: readonly Case[] = [
  {
    title: 'a quarter of it for nothing, until a week has passed without',
    alert: 'UnproductiveSpendHigh',
    step: '15m',
    series: [computeInfo('1x900'), spend('0+4x100 400x800'), unproductive('0+1x100 100x800')],
    checks: [
      ['0h', []],
      ['30m', []],
      ['25h', firesFor('warning', 'cost 100 within a week while it was awake for nothing.')],
      ['200h', []],
    ],
  },
  {
    title: 'a tenth of it for nothing',
    alert: 'UnproductiveSpendHigh',
    step: '15m',
    series: [computeInfo('1x100'), spend('0+10x100'), unproductive('0+1x100')],
    checks: [['24h', []]],
  },
  {
    title: 'half of next to nothing',
    alert: 'UnproductiveSpendHigh',
    step: '15m',
    series: [computeInfo('1x100'), spend('0+0.01x100'), unproductive('0+0.005x100')],
    checks: [['24h', []]],
  },
]

export const AWAKE_CASES: readonly Case[] = [...UNPRODUCTIVE, ...NEVER_SUSPENDS, ...DISABLED, ...FLAPPING]
