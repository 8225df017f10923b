// Requests of API clients, each answered at once; their work follows in the queue.
import type { Draft } from '../draft.ts'
import type { Report, Request } from '../events.ts'
import type { Answered } from './answers.ts'
import { applyBranchRequest } from './branch-requests.ts'
import { applyCatalogueRequest } from './catalogue-requests.ts'
import { applyComputeRequest } from './compute-requests.ts'
import { applyProjectRequest } from './project-requests.ts'

/** Answers a request. The draft has its operations queued but not started, and the answer shows the project as of now. */
export function applyRequest(draft: Draft, request: Request): Answered {
  switch (request.kind) {
    case 'create':
    case 'update':
    case 'delete':
    case 'start':
    case 'suspend':
    case 'restart':
      return applyComputeRequest(draft, request)
    case 'create-branch':
    case 'update-branch':
    case 'delete-branch':
      return applyBranchRequest(draft, request)
    case 'create-role':
    case 'reset-password':
    case 'delete-role':
    case 'create-database':
    case 'delete-database':
      return applyCatalogueRequest(draft, request)
    case 'update-project':
    case 'delete-project':
      return applyProjectRequest(draft, request)
  }
}

const REQUEST_KINDS = {
  create: true,
  update: true,
  delete: true,
  start: true,
  suspend: true,
  restart: true,
  'create-branch': true,
  'update-branch': true,
  'delete-branch': true,
  'create-role': true,
  'reset-password': true,
  'delete-role': true,
  'create-database': true,
  'delete-database': true,
  'update-project': true,
  'delete-project': true,
} as const satisfies Record<Request['kind'], true>

export const isRequest = (event: Request | Report): event is Request => event.kind in REQUEST_KINDS
