/** The generated history of a folder. Instants in ISO 8601. */
export type StoredHistory = {
  readonly from: string
  readonly to: string
  readonly projects: number
  readonly seed: number
}

/** What happens in the local service, for a log or a screen. Messages are static; what varies is in the fields. */
export type LocalEvent =
  | {
      readonly kind: 'listening'
      readonly baseUrl: string
      readonly proxyPort: number
      readonly postgres: string
    }
  | { readonly kind: 'compute-port'; readonly endpointId: string; readonly port: number }
  | {
      readonly kind: 'started'
      readonly endpointId: string
      readonly projectId: string
      /** From the request to the answer, configured wake latency included. */
      readonly seconds: number
    }
  /** The activity monitor saw a compute in use at `at`, ms: what its autosuspend delay counts from. */
  | { readonly kind: 'activity'; readonly endpointId: string; readonly at: number }
  | { readonly kind: 'stopped'; readonly endpointId: string; readonly projectId: string }
  | {
      readonly kind: 'start-failed'
      readonly endpointId: string
      readonly projectId: string
      readonly message: string
    }
  | {
      readonly kind: 'died'
      readonly endpointId: string
      readonly projectId: string
      readonly message: string
    }
  /**
   * A Postgres or a pooler of an earlier, killed service was found running and stopped; its folder is named after the
   * branch, or after the compute.
   */
  | { readonly kind: 'orphan-stopped'; readonly folder: string; readonly pid: number }
  /** The first start made a past, in so many seconds. */
  | {
      readonly kind: 'past-made'
      readonly past: StoredHistory
      readonly operations: number
      readonly seconds: number
    }
  /** A past was asked for, but the folder has been used before: it keeps the one it has, if any. */
  | { readonly kind: 'past-refused'; readonly folder: string; readonly kept: StoredHistory | undefined }
  /** Something failed that nobody waits for, such as one poll of the activity monitor. */
  | { readonly kind: 'problem'; readonly message: string; readonly err: unknown }

export type Log = (event: LocalEvent) => void
