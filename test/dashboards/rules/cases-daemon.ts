import { ONE, OWNED, projectInfo, series, up, type Case, type Firing, type Series } from './case.ts'

const down = (instance: string | undefined, summary: string): Firing => ({
  severity: 'critical',
  labels: { job: 'dormouse', ...(instance !== undefined && { instance }) },
  summary,
})

const DOWN: readonly Case[] = [
  {
    title: 'one of two cannot be scraped; then both can',
    alert: 'Down',
    step: '1m',
    series: [up('0x10 1x10'), up('1x20', 'two:9477')],
    checks: [
      ['4m', []],
      ['6m', [down('one:9477', 'Dormouse at one:9477 cannot be scraped.')]],
      ['12m', []],
    ],
  },
  {
    title: 'nothing is told to be scraped',
    alert: 'Down',
    step: '1m',
    series: [{ series: 'up{job="other",instance="other:1"}', values: '1x20' }],
    checks: [['6m', [down(undefined, 'Dormouse cannot be scraped.')]]],
  },
]

const late = (time: string): readonly Firing[] => [
  {
    severity: 'critical',
    labels: { job_name: 'pass', instance: 'one:9477' },
    summary: `Dormouse at one:9477: pass should have succeeded ${time} ago.`,
  },
]

const STALE: readonly Case[] = [
  {
    title: 'the deadline is passed at ten minutes, until a pass succeeds',
    alert: 'Stale',
    step: '1m',
    series: [series('job_deadline_timestamp_seconds', { job_name: 'pass' }, '600x20 3600x20')],
    checks: [
      ['5m', []],
      ['11m', []],
      ['15m', late('5m 0s')],
      ['25m', []],
    ],
  },
  {
    title: 'one of two daemons is late, each with accounts of its own',
    alert: 'Stale',
    step: '1m',
    series: [
      series('job_deadline_timestamp_seconds', { job_name: 'pass' }, '600x40'),
      series('job_deadline_timestamp_seconds', { job_name: 'pass' }, '240+60x40', 'two:9477'),
    ],
    checks: [
      ['5m', []],
      ['15m', late('5m 0s')],
    ],
  },
  {
    title: 'a deadline that moves with every pass',
    alert: 'Stale',
    step: '1m',
    series: [series('job_deadline_timestamp_seconds', { job_name: 'pass' }, '240+60x30')],
    checks: [['25m', []]],
  },
]

const reported = (values: string, replica?: string): Series =>
  series('report_last_success_timestamp_seconds', { account: 'main', sink: 'mail' }, values, replica)

const due = (values: string, replica?: string): Series =>
  series('report_due_timestamp_seconds', {}, values, replica)

const REPORT: readonly Case[] = [
  {
    title: 'none is due for a month, and none failed',
    alert: 'ReportFailed',
    step: '15m',
    series: [due('0x2800'), reported('60x2800')],
    checks: [
      ['196h', []],
      ['690h', []],
    ],
  },
  {
    title:
      'nothing arrives for more than eight days, beside another daemon with the same names; then it does',
    alert: 'ReportFailed',
    step: '15m',
    series: [
      due('0x671 604800x170'),
      reported('0x788 709200x50'),
      due('0x671 604800x170', 'two:9477'),
      reported('0+900x838', 'two:9477'),
    ],
    checks: [
      ['191h', []],
      ['192h30m', []],
      [
        '196h',
        [
          {
            severity: 'warning',
            labels: { account: 'main', sink: 'mail', instance: 'one:9477' },
            summary: 'Dormouse at one:9477: no report of account main has reached mail for 8d 4h 0m 0s.',
          },
        ],
      ],
      ['200h', []],
    ],
  },
]

const operation = (action: string, values: string): Series =>
  series('operation_oldest_in_progress_timestamp_seconds', { project_id: ONE.project_id, action }, values)

const STUCK: readonly Case[] = [
  {
    title: 'one that does not end, beside one that has just begun; then it ends',
    alert: 'OperationStuck',
    step: '1m',
    series: [
      projectInfo('1x40'),
      operation('start_compute', '0x25 stale'),
      operation('apply_config', '_x15 900x25'),
    ],
    checks: [
      ['10m', []],
      ['16m', []],
      [
        '20m',
        [
          {
            severity: 'warning',
            labels: { project_id: ONE.project_id, team: OWNED.team, tier: OWNED.tier },
            summary: 'An operation of project-one has been running for 20m 0s.',
          },
        ],
      ],
      // the other one began at a quarter of an hour
      ['26m', []],
    ],
  },
]

const ledger = (values: string): Series =>
  series('ledger_reconciliation_error_ratio', { project_id: ONE.project_id }, values)

const mismatch = (share: string): readonly Firing[] => [
  {
    severity: 'warning',
    labels: { project_id: ONE.project_id, team: OWNED.team, tier: OWNED.tier },
    summary: `The metering of project-one lies ${share} outside the bounds of the ledger.`,
  },
]

const LEDGER: readonly Case[] = [
  {
    title: 'the service counts less, for a day; then the same',
    alert: 'LedgerMismatch',
    step: '15m',
    series: [projectInfo('1x120'), ledger('-0.03x101 0x18')],
    checks: [
      ['23h', []],
      ['25h', mismatch('3%')],
      ['26h', []],
    ],
  },
  {
    title: 'the service counts more',
    alert: 'LedgerMismatch',
    step: '15m',
    series: [projectInfo('1x120'), ledger('0.03x120')],
    checks: [['25h', mismatch('3%')]],
  },
  {
    title: 'a little, either way',
    alert: 'LedgerMismatch',
    step: '15m',
    series: [projectInfo('1x120'), ledger('0.02x60 -0.02x59')],
    checks: [['30h', []]],
  },
]

const ALL = [DOWN, STALE, STUCK, REPORT, LEDGER]
export const DAEMON_CASES: readonly Case[] = ALL.flat()
