// Rows of what recommendations rest on, and of recommendations. Gaps are many: theirs are whole seconds, 26 bytes a row on disk.
import type { Gap, ObservedSetting } from '../../model/ledger/gap.ts'
import { endOfLife, type ComputeAdvice, type Recommendation } from '../../model/policy/recommendation.ts'
import { instant, seconds, SECOND } from '../../model/units.ts'
import { targetFromRef, type HistoryCodec } from './codec.ts'
import { bodyOf } from './entry-rows.ts'

export const GAP_ROWS: HistoryCodec<Gap> = {
  table: 'gap',
  key: ['from_s'],
  columns: ['low', 'high', 'hidden_below'],
  toRow: ({ from, low, high, hiddenBelow }) => [from / SECOND, low, high, hiddenBelow],
  fromRow: (ref, row) => ({
    ref,
    from: instant(Number(row['from_s']) * SECOND),
    low: seconds(Number(row['low'])),
    high: seconds(Number(row['high'])),
    hiddenBelow: seconds(Number(row['hidden_below'])),
  }),
}

export const SETTING_ROWS: HistoryCodec<ObservedSetting> = {
  table: 'setting',
  key: ['since_ms'],
  columns: ['body'],
  toRow: ({ since, delay, isOwnDelay, sizing }) => [since, JSON.stringify({ delay, isOwnDelay, sizing })],
  fromRow: (ref, row) => ({
    ref,
    since: instant(Number(row['since_ms'])),
    ...(bodyOf(row, 'setting', ref.endpointId) as Omit<ObservedSetting, 'ref' | 'since'>),
  }),
}

export const RECOMMENDATION_ROWS: HistoryCodec<Recommendation> = {
  table: 'recommendation',
  key: ['id'],
  columns: ['state', 'opened_ms', 'ended_ms', 'body'],
  toRow: (recommendation) => {
    const { ref: _, ...body } = recommendation
    const { id, life, openedAt } = body
    return [id, life.state, openedAt, endOfLife(life) ?? null, JSON.stringify(body)]
  },
  fromRow: (ref, row) => ({
    ref: targetFromRef(ref),
    ...(bodyOf(row, 'recommendation', String(row['id'])) as Omit<Recommendation, 'ref'>),
  }),
}

export const ADVICE_ROWS: HistoryCodec<ComputeAdvice> = {
  table: 'advice',
  key: [],
  columns: ['body'],
  toRow: (advice) => {
    const { ref: _, ...body } = advice
    return [JSON.stringify(body)]
  },
  fromRow: (ref, row) => ({
    ref: targetFromRef(ref),
    ...(bodyOf(row, 'advice', ref.endpointId) as Omit<ComputeAdvice, 'ref'>),
  }),
}
