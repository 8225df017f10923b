import { series, type Case, type Firing, type Series } from './case.ts'

const requests = (code: string, values: string, replica?: string): Series =>
  series('api_requests_total', { operation: 'get_project', code, priority: 'poll' }, values, replica)

const errors = (text: string): readonly Firing[] => [
  { severity: 'warning', labels: { instance: 'one:9477' }, summary: `Dormouse at one:9477: ${text}` },
]

const API_ERRORS: readonly Case[] = [
  {
    title: 'one request in five fails, one way or another; then none does',
    alert: 'ApiErrors',
    step: '1m',
    series: [requests('200', '0+8x60'), requests('503', '0+1x30 30x29'), requests('network', '0+1x30 30x29')],
    checks: [
      ['9m', []],
      ['25m', errors('20% of the requests to the service fail.')],
      ['50m', []],
    ],
  },
  {
    title: 'one of two daemons fails, and the other sends ten times as many requests',
    alert: 'ApiErrors',
    step: '1m',
    series: [
      requests('200', '0+8x60'),
      requests('timeout', '0+2x60'),
      requests('200', '0+100x60', 'two:9477'),
    ],
    checks: [['25m', errors('20% of the requests to the service fail.')]],
  },
  {
    title: 'a gateway answers for the service',
    alert: 'ApiErrors',
    step: '1m',
    series: [requests('200', '0+8x60'), requests('302', '0+1x60'), requests('403', '0+1x60')],
    checks: [['25m', errors('20% of the requests to the service fail.')]],
  },
  {
    title: 'one in twenty fails, and many are refused for being too many',
    alert: 'ApiErrors',
    step: '1m',
    series: [requests('200', '0+19x60'), requests('timeout', '0+1x60'), requests('429', '0+10x60')],
    checks: [['30m', []]],
  },
  {
    title: 'nothing is asked at all',
    alert: 'ApiErrors',
    step: '1m',
    series: [requests('200', '5x60'), requests('503', '5x60')],
    checks: [['30m', []]],
  },
]

const rejected: readonly Firing[] = [
  {
    severity: 'critical',
    labels: { key: 'main', instance: 'one:9477' },
    summary: 'Dormouse at one:9477: the service refuses the API key of account main.',
  },
]

const refusedAt = (values: string, replica?: string): Series =>
  series('api_last_rejected_timestamp_seconds', { key: 'main' }, values, replica)
const acceptedAt = (values: string, replica?: string): Series =>
  series('api_last_accepted_timestamp_seconds', { key: 'main' }, values, replica)

const KEY: readonly Case[] = [
  {
    title: 'refused at ten minutes and ever since, until a new key at thirty',
    alert: 'ApiKeyRejected',
    step: '1m',
    series: [refusedAt('_x10 600+60x19 1800x40'), acceptedAt('0+60x9 540x20 1860+60x40')],
    checks: [
      ['5m', []],
      ['12m', rejected],
      ['30m', rejected],
      ['32m', []],
    ],
  },
  {
    title: 'refused at ten minutes, seen in a pass each half hour, until a new key at seventy',
    alert: 'ApiKeyRejected',
    step: '1m',
    series: [refusedAt('_x10 600x30 2400x60'), acceptedAt('0x70 4200x20')],
    checks: [
      ['5m', []],
      ['25m', rejected],
      ['39m', rejected],
      ['69m', rejected],
      ['72m', []],
    ],
  },
  {
    title: 'refused since the start of a daemon that has other accounts',
    alert: 'ApiKeyRejected',
    step: '1m',
    series: [refusedAt('60x40')],
    checks: [['30m', rejected]],
  },
  {
    title: 'refused to one of two replicas',
    alert: 'ApiKeyRejected',
    step: '1m',
    series: [refusedAt('600x40'), acceptedAt('540x40'), acceptedAt('0+60x40', 'two:9477')],
    checks: [['30m', rejected]],
  },
  {
    title: 'accepted all the time',
    alert: 'ApiKeyRejected',
    step: '1m',
    series: [acceptedAt('0+60x40')],
    checks: [['30m', []]],
  },
]

export const API_CASES: readonly Case[] = [...API_ERRORS, ...KEY]
