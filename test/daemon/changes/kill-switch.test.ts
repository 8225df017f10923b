import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createKillSwitch } from '../../../src/daemon/changes/kill-switch.ts'
import type { AccountConfig } from '../../../src/config/load.ts'
import type { Store } from '../../../src/model/ports/store.ts'
import { at } from '../../support/build.ts'
import { memoryStore, newMemory } from '../../support/memory-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'dormouse-kill-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'stop')

type Standing = Readonly<{ isKilled?: boolean; killSwitchFile?: string; accounts?: readonly string[] }>

const switchOf = (
  store: ReturnType<typeof memoryStore>,
  { isKilled = false, killSwitchFile, accounts = ['main', 'other'] }: Standing = {},
) =>
  createKillSwitch({
    config: () => ({
      changes: { freeze: [], isKilled, killSwitchFile },
      accounts: accounts.map((name) => ({ name }) as AccountConfig),
    }),
    store,
  })

test('is off unless something engages it', async () => {
  const killSwitch = await switchOf(memoryStore(), { killSwitchFile: file })
  expect([killSwitch.isEngaged(), killSwitch.engagedBy()]).toEqual([false, []])
})

test('a command engages it beyond a restart, and releases it', async () => {
  const memory = newMemory()
  const first = await switchOf(memoryStore(memory))
  expect(await first.set(true, 'ann', at(0))).toEqual({ ok: true, value: undefined })
  expect(first.engagedBy()).toEqual(['a command of ann'])
  const second = await switchOf(memoryStore(memory))
  expect([second.isEngaged(), second.engagedBy()]).toEqual([true, ['a command of ann']])
  expect(await second.set(false, 'bob', at(60))).toMatchObject({ ok: true })
  expect(second.isEngaged()).toBe(false)
  const third = await switchOf(memoryStore(memory))
  expect(third.isEngaged()).toBe(false)
})

test('a command engages it beyond a restart with a new account before the others', async () => {
  const memory = newMemory()
  await (await switchOf(memoryStore(memory))).set(true, 'ann', at(0))
  const next = await switchOf(memoryStore(memory), { accounts: ['new', 'other', 'main'] })
  expect(next.engagedBy()).toEqual(['a command of ann'])
})

test('a file engages it while it exists, also one that leads nowhere', async () => {
  const killSwitch = await switchOf(memoryStore(), { killSwitchFile: file })
  writeFileSync(file, '')
  expect(killSwitch.engagedBy()).toEqual([`the file ${file}`])
  rmSync(file)
  expect(killSwitch.isEngaged()).toBe(false)
  symlinkSync(join(folder, 'nowhere'), file)
  expect(killSwitch.isEngaged()).toBe(true)
  rmSync(file)
  expect(killSwitch.isEngaged()).toBe(false)
})

test('a file of which nobody can tell engages it', async () => {
  symlinkSync('loop', join(folder, 'loop'))
  const killSwitch = await switchOf(memoryStore(), { killSwitchFile: join(folder, 'loop', 'stop') })
  expect(killSwitch.isEngaged()).toBe(true)
})

test.each<[string, Standing, string]>([
  ['the variable', { isKilled: true }, 'the variable DORMOUSE_KILL_SWITCH'],
  ['the file', { killSwitchFile: folder }, `the file ${folder}`],
  [
    'both',
    { isKilled: true, killSwitchFile: folder },
    `the variable DORMOUSE_KILL_SWITCH and the file ${folder}`,
  ],
])('a command does not release it while %s stands', async (_, standing, names) => {
  const memory = newMemory()
  const killSwitch = await switchOf(memoryStore(memory), standing)
  await killSwitch.set(true, 'ann', at(0))
  expect(await killSwitch.set(false, 'ann', at(60))).toEqual({
    ok: false,
    error: `${names} engages the kill switch: remove that first`,
  })
  expect(killSwitch.engagedBy()).toContain('a command of ann')
  expect((await switchOf(memoryStore(memory))).engagedBy()).toEqual(['a command of ann'])
})

test('is engaged at once where the store cannot keep it, and not released where it cannot', async () => {
  const store = memoryStore()
  const readOnly: Store['account'] = (name) => ({
    ...store.account(name),
    commit: () => Promise.reject(new Error('the disk is full')),
  })
  const killSwitch = await switchOf({ ...store, account: readOnly })
  await expect(killSwitch.set(true, 'ann', at(0))).rejects.toThrow('the disk is full')
  expect(killSwitch.isEngaged()).toBe(true)
  await expect(killSwitch.set(false, 'ann', at(0))).rejects.toThrow('the disk is full')
  expect(killSwitch.isEngaged()).toBe(true)
})
