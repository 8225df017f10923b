// Rows of the journal.
import { isEnded, type Change, type ChangeEvent, type ChangeTally } from '../../model/policy/change.ts'
import type { SavedPart, SavedTally } from '../../model/policy/saved.ts'
import type { TargetRef } from '../../model/service/compute.ts'
import { instant, micros } from '../../model/units.ts'
import { NO_ENDPOINT, targetFromRef, type Row, type RowCodec } from './codec.ts'
import { bodyOf } from './entry-rows.ts'

export const CHANGE_ROWS: RowCodec<Change> = {
  table: 'change',
  key: ['id'],
  columns: ['version', 'project_id', 'endpoint_id', 'kind', 'state', 'created_ms', 'ended_ms', 'body'],
  toRow: (change) => {
    const { id, version, ref, kind, state, createdAt } = change
    const endedAt = isEnded(state) ? state.endedAt : null
    return [
      id,
      version,
      ref.projectId,
      ref.endpointId ?? NO_ENDPOINT,
      kind,
      state.at,
      createdAt,
      endedAt,
      JSON.stringify(change),
    ]
  },
}

export const changeFromRow = (row: Row): Change => bodyOf(row, 'change', String(row['id'])) as Change

export const CHANGE_EVENT_ROWS: RowCodec<ChangeEvent> = {
  table: 'change_event',
  key: ['change_id', 'version'],
  columns: ['body'],
  toRow: (event) => [event.changeId, event.version, JSON.stringify(event)],
}

export const changeEventFromRow = (row: Row): ChangeEvent =>
  bodyOf(row, 'change_event', String(row['change_id'])) as ChangeEvent

export const CHANGE_TALLY_ROWS: RowCodec<ChangeTally> = {
  table: 'change_tally',
  key: ['project_id', 'endpoint_id', 'kind', 'outcome'],
  columns: ['count', 'interrupted', 'avoided', 'last_ms'],
  toRow: ({ ref, kind, outcome, count, interrupted, avoided, lastAt }) => [
    ref.projectId,
    ref.endpointId ?? NO_ENDPOINT,
    kind,
    outcome,
    count,
    interrupted,
    avoided,
    lastAt,
  ],
}

export const SAVED_PART_ROWS: RowCodec<SavedPart> = {
  table: 'saved_part',
  key: ['change_id', 'from_ms'],
  columns: ['to_ms', 'project_id', 'endpoint_id', 'team', 'saved', 'extra'],
  toRow: ({ changeId, from, to, ...tally }) => [changeId, from, to, ...SAVED_TALLY_ROWS.toRow(tally)],
}

export const savedPartFromRow = (account: string, row: Row): SavedPart => ({
  changeId: String(row['change_id']),
  from: instant(Number(row['from_ms'])),
  to: instant(Number(row['to_ms'])),
  ...savedTallyFromRow(account, row),
})

export const SAVED_TALLY_ROWS: RowCodec<SavedTally> = {
  table: 'saved_tally',
  key: ['project_id', 'endpoint_id', 'team'],
  columns: ['saved', 'extra'],
  toRow: ({ ref, team, saved, extra }) => [ref.projectId, ref.endpointId ?? NO_ENDPOINT, team, saved, extra],
}

export const savedTallyFromRow = (account: string, row: Row): SavedTally => ({
  ref: targetOfRow(account, row),
  team: String(row['team']),
  saved: micros(Number(row['saved'])),
  extra: micros(Number(row['extra'])),
})

const targetOfRow = (account: string, row: Row): TargetRef =>
  targetFromRef({ account, projectId: String(row['project_id']), endpointId: String(row['endpoint_id']) })

export const changeTallyFromRow = (account: string, row: Row): ChangeTally => ({
  ref: targetOfRow(account, row),
  kind: String(row['kind']) as ChangeTally['kind'],
  outcome: String(row['outcome']) as ChangeTally['outcome'],
  count: Number(row['count']),
  interrupted: Number(row['interrupted']),
  avoided: Number(row['avoided']),
  lastAt: instant(Number(row['last_ms'])),
})
