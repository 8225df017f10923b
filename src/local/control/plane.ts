import type { UsageWindow } from './usage/usage.ts'
import type { Answer, Interval, Request } from './events.ts'
import type { PageQuery } from './ordered.ts'
import type { Operation, Project } from './project.ts'

/** The control plane for the API, with real or simulated processes behind it. */
export type Plane = {
  page(query: PageQuery<Project>): readonly Project[]
  project(projectId: string): Project | undefined
  /** A refused request adds nothing. */
  createProject(project: Project, request: Request): Answer
  /** The result is durable; undefined for an unknown project. */
  request(projectId: string, request: Request): Answer | undefined
  /** Runs `work` at an instant of the plane's clock, ms, on the plane of that instant; at once if it has passed. */
  later(at: number, work: (plane: Plane) => unknown): void
  /** Awake intervals clipped to the window, also of deleted computes; those in progress end with it. */
  intervals(projectId: string, window: UsageWindow): readonly Interval[]
  operation(projectId: string, operationId: string): Operation | undefined
  /** Newest first, after operation `before`; undefined when that is unknown. */
  operations(projectId: string, limit: number, before: string | undefined): readonly Operation[] | undefined
}
