import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLineWriter } from '../../src/daemon/log.ts'

const LOG = join(import.meta.dirname, '../../src/daemon/log.ts')

test.skipIf(!existsSync('/dev/full'))('a log on a full disk ends nothing, and the process ends', () => {
  const full = openSync('/dev/full', 'w')
  const script = `
    const { createLog } = await import(${JSON.stringify(LOG)})
    const log = createLog('info', (text) => text)
    for (const text of ['one', 'two']) log.info(text)
    process.stderr.write('went on')`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
    timeout: 10_000,
    killSignal: 'SIGKILL',
  })
  closeSync(full)
  expect({ status, stderr }).toEqual({ status: 0, stderr: 'went on' })
})

/** Answers of the operating system to one write after another: bytes taken or the code of an error; at the end it takes everything. */
function writerTo(answers: readonly (number | string)[]) {
  const [written, left]: [string[], (number | string)[]] = [[], [...answers]]
  let waits = 0
  const writer = createLineWriter(
    (bytes) => {
      const answer = left.shift() ?? bytes.length
      if (typeof answer === 'string') throw Object.assign(new Error(answer), { code: answer })
      written.push(Buffer.from(bytes).toString('utf8', 0, answer))
      return answer
    },
    () => {
      waits += 1
    },
  )
  return { writer, text: () => written.join(''), waits: () => waits }
}

test.each<[string, readonly (number | string)[], text: string, waits: number]>([
  ['at once', [], 'one\ntwo\n', 0],
  ['in parts', [2, 1], 'one\ntwo\n', 0],
  ['to a pipe that is full for a moment', [1, 'EAGAIN', 'EAGAIN'], 'one\ntwo\n', 2],
  ['to a disk that is full for a line', ['ENOSPC'], 'two\n', 0],
  ['to a disk that is full within a line', [2, 'ENOSPC'], 'on\ntwo\n', 0],
  ['to a pipe that stays full', Array.from({ length: 12 }, () => 'EAGAIN'), '', 10],
])('lines are written %s', (_, answers, text, waits) => {
  const to = writerTo(answers)
  to.writer.write('one\n')
  to.writer.write('two\n')
  expect([to.text(), to.waits()]).toEqual([text, waits])
})
