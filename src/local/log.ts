/** Instants in ISO 8601. */
export type StoredHistory = Readonly<{ from: string; to: string; projects: number; seed: number }>

type ComputeEvent = Readonly<{ endpointId: string; projectId: string }>

/** Events for a log or a screen. Messages are static text; data is in the fields. */
export type LocalEvent =
  | Readonly<{ kind: 'listening'; baseUrl: string; proxyPort: number; postgres: string }>
  | Readonly<{ kind: 'compute-port'; endpointId: string; port: number }>
  /** `seconds` from request to answer, including the wake latency. */
  | (ComputeEvent & Readonly<{ kind: 'started'; seconds: number }>)
  /** A compute in use at `at`, ms; the autosuspend delay counts from then. */
  | Readonly<{ kind: 'activity'; endpointId: string; at: number }>
  | (ComputeEvent & { readonly kind: 'stopped' })
  | (ComputeEvent & Readonly<{ kind: 'start-failed' | 'died'; message: string }>)
  /** A program of a killed service was stopped. `folder` is named after the branch or compute. */
  | Readonly<{ kind: 'orphan-stopped'; folder: string; pid: number }>
  | Readonly<{ kind: 'past-made'; past: StoredHistory; operations: number; seconds: number }>
  /** The folder was used before; `kept` is the history it has. */
  | Readonly<{ kind: 'past-refused'; folder: string; kept: StoredHistory | undefined }>
  /** Background work failed, such as one poll of the monitor. */
  | Readonly<{ kind: 'problem'; message: string; err: unknown }>

export type Log = (event: LocalEvent) => void
