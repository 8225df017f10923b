// Cases of the alert on wakes that Dormouse causes.
import { ONE, OWNED, projectInfo, series, type Case, type Firing, type Series } from './case.ts'

const wakes = (reason: string, values: string): Series =>
  series('wakeups_caused_total', { project_id: ONE.project_id, reason }, values)

const fleetWakes = (initiator: string, values: string, replica?: string): Series =>
  series('wakes_total', { initiator }, values, replica)

const woken: readonly Firing[] = [
  {
    severity: 'warning',
    labels: { project_id: ONE.project_id, team: OWNED.team, tier: OWNED.tier },
    summary: 'Dormouse woke a compute of project-one.',
  },
]

export const WAKE_CASES: readonly Case[] = [
  {
    title: 'one wake, for an hour',
    alert: 'WakeCaused',
    step: '1m',
    series: [projectInfo('1x200'), wakes('reading', '0x10 1x189')],
    checks: [
      ['5m', []],
      ['12m', woken],
      ['90m', []],
    ],
  },
  {
    title: 'one wake where computes and projects have no series, beside a daemon that woke nothing',
    alert: 'WakeCaused',
    step: '1m',
    series: [
      wakes('reading', '_x10 1x189'),
      fleetWakes('dormouse', '0x10 1x189'),
      fleetWakes('dormouse', '2x199', 'two:9477'),
    ],
    checks: [
      ['5m', []],
      [
        '12m',
        [
          {
            severity: 'warning',
            labels: { instance: 'one:9477' },
            summary: 'Dormouse woke a compute.',
          },
        ],
      ],
      ['90m', []],
    ],
  },
  {
    title: 'one wake of a project with series, which the whole fleet counts, too',
    alert: 'WakeCaused',
    step: '1m',
    series: [projectInfo('1x200'), wakes('reading', '0x10 1x189'), fleetWakes('dormouse', '0x10 1x189')],
    checks: [
      ['5m', []],
      ['12m', woken],
      ['90m', []],
    ],
  },
  {
    title: 'wakes of the fleet by others',
    alert: 'WakeCaused',
    step: '1m',
    series: [fleetWakes('unknown', '0x10 3x50'), fleetWakes('change', '0x10 3x50')],
    checks: [['30m', []]],
  },
  {
    title: 'a wake that was wanted, with a change or ahead of use',
    alert: 'WakeCaused',
    step: '1m',
    series: [projectInfo('1x60'), wakes('change', '0x10 3x50'), wakes('warm', '0x10 3x50')],
    checks: [['30m', []]],
  },
  {
    title: 'a counter that is there from 1 on has not grown: that is why ours begin at 0',
    alert: 'WakeCaused',
    step: '1m',
    series: [projectInfo('1x60'), wakes('reading', '_x10 1x50')],
    checks: [['30m', []]],
  },
]
