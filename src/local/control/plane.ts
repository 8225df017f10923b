import type { UsageWindow } from './usage/usage.ts'
import type { Answer, Interval, Request } from './events.ts'
import type { PageQuery } from './ordered.ts'
import type { Operation, Project } from './project.ts'

/** The control plane as the API uses it, with processes of this machine or simulated ones behind it. */
export type Plane = {
  page(query: PageQuery<Project>): readonly Project[]
  project(projectId: string): Project | undefined
  /** Adds a project with its first request; a refused request adds nothing. */
  createProject(project: Project, request: Request): Answer
  /** Applies a request. Its result is durable when this returns; undefined for an unknown project. */
  request(projectId: string, request: Request): Answer | undefined
  /** Awake intervals of the project's computes within the window, deleted ones included; intervals in progress end with it. */
  intervals(projectId: string, window: UsageWindow): readonly Interval[]
  operation(projectId: string, operationId: string): Operation | undefined
  /** A page of operations, newest first, that starts after operation `before`. Undefined when `before` is unknown. */
  operations(projectId: string, limit: number, before: string | undefined): readonly Operation[] | undefined
}
