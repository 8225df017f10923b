import type { Instant } from '../units.ts'

/** By what the caller can do about them. */
export type ServiceError = Readonly<
  | { kind: 'unauthorized' } // stop and tell the operator: the key is wrong or revoked
  | { kind: 'gone'; message: string } // forget the thing
  | { kind: 'busy' } // 423, other operations run on the project: nothing was done
  | { kind: 'limited'; until: Instant } // 429: nothing was done, not before `until`
  | { kind: 'uncertain'; message: string } // a mutation that may have taken effect: settle, then re-read
  | { kind: 'refused'; status: number; message: string } // do not repeat the request
  | { kind: 'unavailable'; message: string } // a GET that failed after its retries, or a request that was not sent: try again in a later pass
  | { kind: 'malformed'; problems: readonly string[] }
> // the answer does not fit the interface

/** Text for a person: a line without secrets. */
export function serviceErrorText(error: ServiceError): string {
  switch (error.kind) {
    case 'unauthorized':
      return 'the service refuses the API key (401): it is wrong or revoked; put a valid one where it is read from'
    case 'gone':
      return `not there: ${error.message}`
    case 'busy':
      return 'another operation runs in the project (423): nothing was done, try again when it has ended'
    case 'limited':
      return 'too many requests (429): nothing was done'
    case 'uncertain':
      return `no certain answer, the change may have taken effect: ${error.message}`
    case 'refused':
      return `refused (${error.status}): ${error.message}`
    case 'unavailable':
      return `the service cannot be reached: ${error.message}`
    case 'malformed':
      return `the answer does not fit the interface: ${error.problems.join('; ')}`
  }
}
