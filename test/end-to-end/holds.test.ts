// Holds, freezes and force on a real compute: what stops a change whose window is open, and what the service did.
import { expect, test } from 'vitest'
import { HOUR } from '../../src/model/units.ts'
import type { ChangesJson } from '../../src/outputs/text/change-schema.ts'
import { bursts, stage, type Stage } from './change-stage.ts'
import { changeBy, changeThat, command, hasEnded, reconfigure } from './change-support.ts'
import { fleetAt, page, until } from './support.ts'

const localTime = (time: number) => new Date(time).toISOString().slice(0, 16)
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString()

/** The time of a request is stored before it is written. */
const hasArrived = ({ sent }: Stage) =>
  until('the request at the service', () => (sent.length > 0 ? true : undefined))

/** A window that is open for hours, and one that opens in hours. */
const windows = () =>
  `windows: { now: { from: "${localTime(Date.now() - HOUR)}", to: "${localTime(Date.now() + 6 * HOUR)}" },
           later: { from: "${localTime(Date.now() + 4 * HOUR)}", to: "${localTime(Date.now() + 5 * HOUR)}" } }`

const linesOf = (window: string) => `
advice: { min_history: 5s, min_gaps: 5, min_peaks: 60s, grid: 1s }
brakes: { hold_off: 1s, min_age: 1s }
verify: { warm_up: 1s }
${windows()}
policies:
  - match: { project: "over*" }
    mode: apply
    levers: [sizing]
    restart: { when: [window], windows: [${window}], close_early: 1m }
`
const OVERSIZED = { name: 'oversized', cu: 1, suspendTimeoutSeconds: 5 }

const stopsByChanges = ({ truth }: Stage) => truth().stops.filter(({ why }) => why === 'config')
const isSuspended = (world: Stage) =>
  until('a suspension', () => (world.truth().intervals.at(-1)?.to === null ? undefined : true))
const firstChange = ({ apiUrl }: Stage) =>
  until('a change of the policy', async () => {
    const { text } = await page(`${apiUrl}/api/v1/changes`)
    return (JSON.parse(text) as ChangesJson).changes[0]
  })

test.concurrent('a hold stops a change of a policy whose window is open; after its end the change goes', async () => {
  await using world = await stage(OVERSIZED, { lines: linesOf('now') })
  const { configFile, apiUrl, sent } = world
  const placed = await command(
    configFile,
    'hold',
    'project=over*',
    '--until',
    inHours(2),
    '--reason',
    'a sale',
  )
  expect(placed).toMatchObject({ status: 0, err: '' })
  const hold = /^hold-\w+/.exec(placed.out)?.[0] ?? ''
  const work = bursts(world.uri)
  const { id, endpoint_id: endpointId } = await firstChange(world)
  const held = await changeThat('the hold', apiUrl, (change) => change.hold?.because === 'hold')
  expect(held).toMatchObject({ id, state: 'scheduled', when: 'policy', sent_at: null })
  const line = `a person holds changes of the compute: ${hold} of alice, a sale, since `
  expect((await command(configFile, 'explain', endpointId ?? '')).out).toContain(line)
  await work.pause()
  await isSuspended(world)
  // a force does not pass it
  expect(await command(configFile, 'force', id, '--until', inHours(1))).toMatchObject({
    status: 2,
    out: '',
    err: expect.stringContaining(`change ${id} is stopped: a person holds changes of the compute: ${hold}`),
  })
  // longer than the apply loop waits between two looks
  const suspendedAt = Date.now()
  await until('passes of twelve seconds', async () => {
    const fleet = await fleetAt(apiUrl)
    return fleet && Date.parse(fleet.taken_at) > suspendedAt + 12_000 ? true : undefined
  })
  expect([sent, stopsByChanges(world)]).toEqual([[], []])

  const resumedAt = Date.now()
  expect(await command(configFile, 'resume', hold)).toMatchObject({ status: 0, err: '' })
  const done = await changeThat(
    'the request',
    apiUrl,
    (change) => change.id === id && change.sent_at !== null,
  )
  expect(Date.parse(done.sent_at ?? '')).toBeGreaterThanOrEqual(resumedAt - 1000)
  await hasArrived(world)
  expect(sent).toHaveLength(1)
  expect(
    stopsByChanges(world).every(({ at, open }) => Date.parse(at) >= resumedAt - 1000 && open === 0),
  ).toBe(true)
})

test.concurrent('a person lets a change of a policy go before its window opens', async () => {
  await using world = await stage(OVERSIZED, { lines: linesOf('later') })
  const { configFile, apiUrl, sent } = world
  const work = bursts(world.uri)
  const { id } = await firstChange(world)
  await changeThat('its window', apiUrl, (change) => change.hold?.because === 'outside-window')
  await work.pause()
  await isSuspended(world)
  expect(sent).toEqual([])
  expect(
    await command(configFile, 'force', id, '--until', inHours(1), '--reason', 'it is quiet'),
  ).toMatchObject({
    status: 0,
    err: '',
    out: expect.stringContaining('forced by alice until '),
  })
  await changeThat('the request', apiUrl, (change) => change.id === id && change.sent_at !== null)
  await hasArrived(world)
  expect(sent).toHaveLength(1)
})

test.concurrent('a freeze stops what a person asked for, until the file has none', async () => {
  const usual = `${windows()}\nchanges: { freeze: [now] }\n`
  await using world = await stage({ name: 'frozen', cu: 1, suspendTimeoutSeconds: 300 }, { lines: usual })
  const { configFile, apiUrl, sent } = world
  const { id } = await changeBy(configFile, 'change', 'frozen', '--delay', '600s')
  const frozen = await changeThat('the freeze', apiUrl, (change) => change.hold?.because === 'freeze')
  expect(frozen.hold).toMatchObject({
    text: 'nothing is changed in a freeze: now',
    until: expect.any(String),
  })
  expect((await command(configFile, 'holds')).out).toMatch(/^the freeze now stops all changes from .* to /)
  expect(sent).toEqual([])
  await reconfigure(configFile, 'changes: { freeze: [now] }', '')
  expect(await changeThat('its end', apiUrl, hasEnded(id))).toMatchObject({ state: 'done' })
  expect(sent).toHaveLength(1)
})
