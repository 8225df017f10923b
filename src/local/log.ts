/** The generated history of a folder. Instants in ISO 8601. */
export type StoredHistory = Readonly<{
  from: string
  to: string
  projects: number
  seed: number
}>

type ComputeEvent = { readonly endpointId: string; readonly projectId: string }

/** Events of the local service, for a log or a screen. Messages are static text; data is in the fields. */
export type LocalEvent =
  | {
      readonly kind: 'listening'
      readonly baseUrl: string
      readonly proxyPort: number
      readonly postgres: string
    }
  | { readonly kind: 'compute-port'; readonly endpointId: string; readonly port: number }
  /** `seconds`: from the request to the answer, including the configured wake latency. */
  | (ComputeEvent & { readonly kind: 'started'; readonly seconds: number })
  /** The activity monitor saw a compute in use at `at`, ms. The autosuspend delay counts from then. */
  | { readonly kind: 'activity'; readonly endpointId: string; readonly at: number }
  | (ComputeEvent & { readonly kind: 'stopped' })
  | (ComputeEvent & { readonly kind: 'start-failed' | 'died'; readonly message: string })
  /** A Postgres or a pooler of a killed service was running and was stopped. `folder` has the name of the branch or compute. */
  | { readonly kind: 'orphan-stopped'; readonly folder: string; readonly pid: number }
  /** The first start generated a history; it took `seconds`. */
  | {
      readonly kind: 'past-made'
      readonly past: StoredHistory
      readonly operations: number
      readonly seconds: number
    }
  /** A history was requested for a folder that was used before. `kept` is the history it has, if any. */
  | { readonly kind: 'past-refused'; readonly folder: string; readonly kept: StoredHistory | undefined }
  /** Background work failed, such as one poll of the activity monitor. */
  | { readonly kind: 'problem'; readonly message: string; readonly err: unknown }

export type Log = (event: LocalEvent) => void
