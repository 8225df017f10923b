import type { UsageWindow } from './usage/usage.ts'
import type { Answer, Interval, Request } from './events.ts'
import type { Operation, Project } from './project.ts'

/** The control plane as the API sees it, whatever carries it out: processes of this machine, or a simulation. */
export type Plane = {
  /** Projects that fit, by id ascending, at most `limit`, those after `after` when it is given. */
  page(query: ProjectQuery): readonly Project[]
  project(projectId: string): Project | undefined
  /** Adds a project if it takes the request, which is answered as any other; all of it or nothing. */
  createProject(project: Project, asked: Request): Answer
  /** The answer is durable when this returns; undefined for an unknown project. */
  request(projectId: string, asked: Request): Answer | undefined
  /** When computes of the project were awake within the window, deleted ones included; what still runs ends with it. */
  intervals(projectId: string, window: UsageWindow): readonly Interval[]
  operation(projectId: string, operationId: string): Operation | undefined
  /** Newest first, at most `limit`; `before` is the id after which the page begins. Undefined when `before` is unknown. */
  operations(projectId: string, limit: number, before: string | undefined): readonly Operation[] | undefined
}

export type ProjectQuery = {
  readonly after: string | undefined
  readonly limit: number
  readonly fits: (project: Project) => boolean
}
