// Kinds of events about changes, as rows of `EVENT_KINDS`.
import { isComputeRef, type ComputeRef, type TargetRef } from '../service/compute.ts'

/** `what`: `1 CU → 0.25 to 2 CU`. */
export type ChangeMove = Readonly<{ ref: TargetRef; changeId: string; what: string; because: string }>

const moveFields = ({ ref, changeId, what, because }: ChangeMove) => ({
  change: changeId,
  ...ref,
  what,
  because,
})

const targetText = ({ endpointId, projectId }: TargetRef) =>
  endpointId === undefined ? `the defaults of project ${projectId}` : `compute ${endpointId}`

/** Notification about one change. @param says what happened, such as `was applied` */
const aboutChange = (says: string) =>
  ({
    topic: ({ changeId }: ChangeMove) => `change/${changeId}`,
    subject: ({ ref }: ChangeMove) =>
      isComputeRef(ref)
        ? ({ kind: 'compute', ref } as const)
        : ({ kind: 'project', projectId: ref.projectId } as const),
    text: ({ ref, changeId, what, because }: ChangeMove) =>
      `Change ${changeId} of ${targetText(ref)} (${what}) ${says}${because === '' ? '' : `: ${because}`}`,
    fields: ({ ref, changeId, what, because }: ChangeMove) => ({
      change_id: changeId,
      project_id: ref.projectId,
      endpoint_id: ref.endpointId ?? '',
      what,
      because,
    }),
  }) as const

/** What a change had set, and what somebody else set over it, in words. */
export type ForeignMove = Readonly<{ ref: ComputeRef; changeId: string; ours: string; theirs: string }>

export const CHANGE_EVENT_KINDS = {
  'change-scheduled': {
    log: { level: 'info', text: 'a change is scheduled', fields: moveFields },
    notification: { severity: 'info', ...aboutChange('is scheduled') },
  },
  'change-applied': {
    log: { level: 'info', text: 'a change was applied and verified', fields: moveFields },
    notification: { severity: 'info', ...aboutChange('was applied') },
  },
  'change-superseded': {
    log: { level: 'warn', text: 'a change was superseded', fields: moveFields },
    notification: { severity: 'warning', ...aboutChange('was superseded') },
  },
  'change-reverted': {
    log: { level: 'warn', text: 'a change is taken back', fields: moveFields },
    notification: { severity: 'warning', ...aboutChange('is taken back') },
  },
  'change-expired': {
    log: { level: 'warn', text: 'a change has expired', fields: moveFields },
    notification: { severity: 'warning', ...aboutChange('has expired') },
  },
  'change-failed': {
    log: { level: 'error', text: 'a change failed', fields: moveFields },
    notification: { severity: 'critical', ...aboutChange('failed') },
  },
  'change-unknown': {
    log: { level: 'error', text: 'nobody can tell whether a change took effect', fields: moveFields },
    notification: {
      severity: 'critical',
      ...aboutChange('needs a person: nobody can tell whether it took effect'),
    },
  },
  'foreign-change': {
    log: {
      level: 'warn',
      text: 'somebody else overwrote what a change had set',
      fields: ({ ref, changeId, ours, theirs }: ForeignMove) => ({ change: changeId, ...ref, ours, theirs }),
    },
    notification: {
      severity: 'warning',
      topic: ({ changeId }: ForeignMove) => `foreign/${changeId}`,
      stored: 'once',
      subject: ({ ref }: ForeignMove) => ({ kind: 'compute', ref }) as const,
      text: ({ ref, changeId, ours, theirs }: ForeignMove) =>
        `Somebody else set compute ${ref.endpointId} to ${theirs}, over ${ours} of change ${changeId}`,
      fields: ({ ref, changeId, ours, theirs }: ForeignMove) => ({
        change_id: changeId,
        project_id: ref.projectId,
        endpoint_id: ref.endpointId,
        ours,
        theirs,
      }),
    },
  },
} as const
