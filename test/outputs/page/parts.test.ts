// The fleet page in parts: order, chunks, yields, and failures of history after the head was sent.
import { expect, test } from 'vitest'
import { fakeClock } from '../../support/fake-clock.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { pastOf } from './past.ts'
import { appOf, asked, fleet, textOf } from './shown.ts'
import { problemsOf } from './well-formed.ts'

test('a fleet page is sent in parts of ten rows, which together are the same page', async () => {
  const snapshot = fleet(35)
  const app = appOf({ snapshot, history: pastOf(snapshot) })
  for (const path of ['/', '/?group=team']) {
    const parts = await Array.fromAsync((await asked(app, path)).body ?? [], (part) =>
      Buffer.from(part).toString(),
    )
    expect([parts[0], parts[1]]).toEqual([
      expect.stringMatching(/<main[^>]*>$/),
      expect.stringMatching(/^<h1>Fleet[^]*<\/thead>\s*$/),
    ])
    expect(Math.max(...parts.slice(2).map((part) => part.split('scope="row"').length - 1))).toBe(10)
    const whole = await (await asked(app, path, { 'if-none-match': '' })).text()
    expect(parts.join('')).toBe(whole)
    expect(problemsOf(whole)).toEqual([])
  }
})

test('a fleet whose history cannot be read is shown without timelines', async () => {
  const snapshot = fleet(3)
  const history = {
    ...NO_HISTORY,
    awakeTimes: () => {
      throw new Error('disk I/O error')
    },
  }
  const text = await textOf(appOf({ snapshot, history }), '/')
  expect([text.split('scope="row"').length - 1, text.includes('<title>awake'), problemsOf(text)]).toEqual([
    3,
    false,
    [],
  ])
})

test('timelines are read for ten rows at a time, after the rows before were sent', async () => {
  const snapshot = fleet(35)
  const past = pastOf(snapshot)
  const read: number[] = []
  const history = {
    ...past,
    awakeTimes: (...[account, span]: Parameters<typeof past.awakeTimes>) => {
      read.push(span.computes?.length ?? 0)
      return past.awakeTimes(account, span)
    },
  }
  const parts = (await asked(appOf({ snapshot, history }), '/')).body ?? []
  const before: string[] = []
  for await (const part of parts)
    before.push(`${Buffer.from(part).toString().split('scope="row"').length - 1} ${read.length}`)
  expect(before.filter((counts) => /^(?:10|5) /.test(counts))).toEqual(['10 1', '10 2', '10 3', '5 4'])
  expect(read).toEqual([10, 10, 10, 5])
})

test('the clock yields after every part, so that no turn renders more than ten rows', async () => {
  const snapshot = fleet(100)
  const clock = fakeClock()
  const parts = await Array.fromAsync(
    (await asked(appOf({ snapshot, history: pastOf(snapshot), clock }), '/')).body ?? [],
  )
  expect(parts.length).toBeGreaterThanOrEqual(12)
  expect(clock.yields()).toBe(parts.length)
})
