import { writeSync } from 'node:fs'
import { pino, type DestinationStream, type Logger } from 'pino'
import { logRowOf } from '../model/output/event-kinds.ts'
import type { Send } from '../model/ports/outbox.ts'
import { fieldOf } from '../std/field.ts'
import type { Redactor } from '../std/redactor.ts'

/** JSON lines on standard output; every text in them goes through `redact`. A line that cannot be written is lost: the daemon goes on. */
export const createLog = (level: string, redact: Redactor['redact'], output?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { name: 'dormouse' },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => `${redactedJson(line, redact)}\n` },
    },
    output ?? createLineWriter((bytes) => writeSync(1, bytes)),
  )

/** Milliseconds until a pipe that was full is tried again. */
const RETRY_AFTER = 100
/** Attempts for one line at a pipe that stays full, 1 s in all: longer than a reader needs that is alive, and no probe fails meanwhile. */
const MAX_RETRIES = 10

/**
 * Writes whole lines at once, so that none waits for the end of the process. pino's own writer tries for ever to write what a full disk
 * refuses, and the process never ends. After a line that was cut off the next one begins on a line of its own.
 *
 * @param write returns how many bytes it wrote; throws as `writeSync`
 */
export function createLineWriter(write: (bytes: Uint8Array) => number, wait = sleepSync): DestinationStream {
  let isBlocked = false
  let isCut = false
  return {
    write: (line) => {
      let rest = Buffer.from(isCut ? `\n${line}` : line)
      const whole = rest.length
      for (let retries = isBlocked ? MAX_RETRIES : 0; rest.length > 0;) {
        try {
          rest = rest.subarray(write(rest))
        } catch (cause) {
          if (fieldOf(cause, 'code') !== 'EAGAIN' || retries >= MAX_RETRIES) break
          retries += 1
          wait(RETRY_AFTER)
        }
      }
      isBlocked = rest.length > 0
      isCut = isBlocked && (isCut || rest.length < whole)
    },
  }
}

const sleepSync = (millis: number): void =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)

/** Numbers stay: digits of a secret may be among theirs. */
const redactedJson = (line: string, redact: Redactor['redact']) =>
  JSON.stringify(JSON.parse(line, (_, value: unknown) => (typeof value === 'string' ? redact(value) : value)))

/** The log as a receiver of all events. */
export const logSink =
  (log: Logger): Send =>
  (events) => {
    for (const event of events) {
      const { level, text, fields } = logRowOf(event)
      log[level]({ account: event.account, ...fields?.(event) }, text)
    }
    return Promise.resolve([])
  }
