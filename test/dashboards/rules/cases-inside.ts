import { computeInfo, firesFor, ONE, OWNED, series, type Case, type Firing } from './case.ts'

const state = (values: string, one = 'active') => series('compute_state', { ...ONE, state: one }, values)
const connections = (values: string, replica?: string) =>
  series('compute_connections', { ...ONE, state: 'active' }, values, replica)
const limit = (values: string, replica?: string) => series('compute_max_connections', ONE, values, replica)

const HIT_RATIO: readonly Case[] = [
  {
    title: 'one page in ten is missed; then nobody asks any more, and a quarter of an hour later it is over',
    alert: 'FileCacheHitRatioLow',
    step: '1m',
    series: [
      computeInfo('1x200'),
      series('compute_file_cache_hits_total', ONE, '0+900x60 54000x140'),
      series('compute_file_cache_misses_total', ONE, '0+100x60 6000x140'),
    ],
    checks: [
      ['29m', []],
      ['60m', firesFor('warning', 'finds only 90% of its pages in the file cache.')],
      ['75m', firesFor('warning', 'finds only 90% of its pages in the file cache.')],
      ['110m', []],
    ],
  },
  {
    title: 'the counters begin anew in the middle: no fall, and no leap',
    alert: 'FileCacheHitRatioLow',
    step: '1m',
    series: [
      computeInfo('1x100'),
      series('compute_file_cache_hits_total', ONE, '1000000+900x30 0+900x69'),
      series('compute_file_cache_misses_total', ONE, '500000+100x30 0+100x69'),
    ],
    checks: [['90m', firesFor('warning', 'finds only 90% of its pages in the file cache.')]],
  },
  {
    title: 'nobody asks: 0 by 0 is no ratio',
    alert: 'FileCacheHitRatioLow',
    step: '1m',
    series: [
      computeInfo('1x100'),
      series('compute_file_cache_hits_total', ONE, '7x100'),
      series('compute_file_cache_misses_total', ONE, '5000x100'),
    ],
    checks: [['90m', []]],
  },
  {
    title: 'half is missed, of next to nothing',
    alert: 'FileCacheHitRatioLow',
    step: '1m',
    series: [
      computeInfo('1x100'),
      series('compute_file_cache_hits_total', ONE, '0+50x100'),
      series('compute_file_cache_misses_total', ONE, '0+50x100'),
    ],
    checks: [['90m', []]],
  },
  {
    title: 'many are missed, of a great many',
    alert: 'FileCacheHitRatioLow',
    step: '1m',
    series: [
      computeInfo('1x100'),
      series('compute_file_cache_hits_total', ONE, '0+99900x100'),
      series('compute_file_cache_misses_total', ONE, '0+100x100'),
    ],
    checks: [['90m', []]],
  },
]

const atLimit = firesFor('critical', 'uses 96% of its connections: clients are refused, or about to be.')
const forSearch = (firing: Firing): Firing => ({ ...firing, labels: { ...OWNED, team: 'search' } })

const CONNECTIONS: readonly Case[] = [
  {
    title: '85 of 100',
    alert: 'ConnectionsNearLimit',
    step: '1m',
    series: [computeInfo('1x20'), connections('85x10 10x10'), limit('100x20')],
    checks: [
      ['4m', []],
      ['6m', firesFor('warning', 'uses 85% of its connections.')],
      ['12m', []],
    ],
  },
  {
    title: '80 of 100',
    alert: 'ConnectionsNearLimit',
    step: '1m',
    series: [computeInfo('1x20'), connections('80x20'), limit('100x20')],
    checks: [['10m', []]],
  },
  {
    title: '45 of 100, seen by two replicas',
    alert: 'ConnectionsNearLimit',
    step: '1m',
    series: [
      computeInfo('1x20'),
      computeInfo('1x20', OWNED, 'two:9477'),
      connections('45x20'),
      connections('45x20', 'two:9477'),
      limit('100x20'),
      limit('100x20', 'two:9477'),
    ],
    checks: [['10m', []]],
  },
  {
    title: '96 of 100, in several states, seen by two replicas that disagree about the owner: both are told',
    alert: 'ConnectionsAtLimit',
    step: '1m',
    series: [
      computeInfo('1x20'),
      computeInfo('1x20', { team: 'search', tier: 'dev' }, 'two:9477'),
      connections('90x20'),
      series('compute_connections', { ...ONE, state: 'idle' }, '6x20'),
      connections('90x20', 'two:9477'),
      limit('100x20'),
      limit('100x20', 'two:9477'),
    ],
    checks: [
      ['0m', []],
      ['5m', [...atLimit, ...atLimit.map(forSearch)]],
    ],
  },
  {
    title: '96 of 100 where nobody answers for it: no team, and no less an alert',
    alert: 'ConnectionsAtLimit',
    step: '1m',
    series: [computeInfo('1x20', { team: '', tier: '' }), connections('96x20'), limit('100x20')],
    checks: [
      [
        '5m',
        [
          {
            severity: 'critical',
            labels: ONE,
            summary:
              'Compute ep-one of project-one uses 96% of its connections: clients are refused, or about to be.',
          },
        ],
      ],
    ],
  },
  {
    title: '97 of 104, seven of which are kept, seen by two replicas: no client gets another',
    alert: 'ConnectionsAtLimit',
    step: '1m',
    series: [
      computeInfo('1x20'),
      connections('97x20'),
      connections('97x20', 'two:9477'),
      limit('104x20'),
      limit('104x20', 'two:9477'),
      series('compute_reserved_connections', ONE, '7x20'),
      series('compute_reserved_connections', ONE, '7x20', 'two:9477'),
    ],
    checks: [
      ['0m', []],
      ['5m', firesFor('critical', 'uses 100% of its connections: clients are refused, or about to be.')],
    ],
  },
  {
    title: '92 of 104, seven of which are kept',
    alert: 'ConnectionsAtLimit',
    step: '1m',
    series: [
      computeInfo('1x20'),
      connections('92x20'),
      limit('104x20'),
      series('compute_reserved_connections', ONE, '7x20'),
    ],
    checks: [['10m', []]],
  },
  {
    title: '95 of 100',
    alert: 'ConnectionsAtLimit',
    step: '1m',
    series: [computeInfo('1x20'), connections('95x20'), limit('100x20')],
    checks: [['10m', []]],
  },
  {
    title: 'asleep, or never read',
    alert: 'ConnectionsAtLimit',
    step: '1m',
    series: [computeInfo('1x20'), connections('_x5 0x15'), limit('100x20')],
    checks: [
      ['3m', []],
      ['10m', []],
    ],
  },
]

const READING: readonly Case[] = [
  {
    title: 'awake, and readings fail; then they do not',
    alert: 'ReadingStale',
    step: '1m',
    series: [computeInfo('1x40'), state('1x40'), series('compute_reading_success', ONE, '0x20 1x19')],
    checks: [
      ['14m', []],
      ['16m', firesFor('warning', 'is awake and cannot be read.')],
      ['25m', []],
    ],
  },
  {
    title: 'asleep: the last reading failed, and none is due',
    alert: 'ReadingStale',
    step: '1m',
    series: [
      computeInfo('1x40'),
      state('0x40'),
      state('1x40', 'idle'),
      series('compute_reading_success', ONE, '0x40'),
    ],
    checks: [['30m', []]],
  },
  {
    title: 'awake and read',
    alert: 'ReadingStale',
    step: '1m',
    series: [computeInfo('1x40'), state('1x40'), series('compute_reading_success', ONE, '1x40')],
    checks: [['30m', []]],
  },
]

export const INSIDE_CASES: readonly Case[] = [...HIT_RATIO, ...CONNECTIONS, ...READING]
