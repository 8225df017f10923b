import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createKillSwitch } from '../../../src/daemon/changes/kill-switch.ts'
import type { AccountConfig } from '../../../src/config/load.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import type { Send } from '../../../src/model/ports/outbox.ts'
import type { Store } from '../../../src/model/ports/store.ts'
import { at } from '../../support/build.ts'
import { inWorld } from './foreign/foreign-world.ts'
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

test('engaged while a release is being stored, it stays so, also where the store fails then', async () => {
  const waiting: (() => void)[] = []
  const kept = memoryStore()
  let isFull = false
  const slow = {
    ...kept,
    account: (name: string) => ({
      ...kept.account(name),
      commit: async (...given: Parameters<ReturnType<typeof kept.account>['commit']>) => {
        await new Promise<void>((resolve) => void waiting.push(resolve))
        if (isFull) throw new Error('the disk is full')
        return kept.account(name).commit(...given)
      },
    }),
  }
  const next = async () => {
    while (waiting.length === 0) await Promise.resolve()
    waiting.shift()?.()
  }
  const killSwitch = await switchOf(slow, { accounts: ['main'] })
  const first = killSwitch.set(true, 'ann', at(0))
  await next()
  await first
  const release = killSwitch.set(false, 'bob', at(1))
  const again = killSwitch.set(true, 'cyd', at(2)).catch(() => 'failed')
  await next()
  await release
  expect(killSwitch.engagedBy()).toEqual(['a command of cyd'])
  isFull = true
  await next()
  expect([await again, killSwitch.isEngaged()]).toEqual(['failed', true])
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

async function world(standing: Standing = {}) {
  const store = memoryStore()
  const events: Event[] = []
  const send: Send = async (sent) => {
    events.push(...sent)
    return []
  }
  const open = async (next: Standing = standing) => {
    const killSwitch = await switchOf(store, next)
    return {
      ...killSwitch,
      announce: (by?: string) =>
        killSwitch.announce({
          account: 'main',
          store: store.account('main'),
          send,
          at: at(60),
          ...(by !== undefined && { by }),
        }),
    }
  }
  const texts = () => events.map((event) => ('brake' in event ? [event.kind, event.because] : event.kind))
  return { open, texts }
}

describe('people are told once that it is engaged, and once that it is not,', () => {
  test('by a file, also where the daemon begins anew meanwhile', async () => {
    const { open, texts } = await world({ killSwitchFile: file })
    const first = await open()
    await first.announce()
    expect(texts()).toEqual([])
    writeFileSync(file, '')
    await Promise.all([first.announce(), first.announce()])
    await (await open()).announce()
    expect(texts()).toEqual([['brake-engaged', `the file ${file}`]])
    rmSync(file)
    await (await open()).announce()
    await (await open()).announce()
    expect(texts().slice(1)).toEqual([['brake-released', `the file ${file} is gone`]])
  })

  test('by the variable', async () => {
    const { open, texts } = await world()
    await (await open({ isKilled: true })).announce()
    await (await open({ isKilled: false })).announce()
    expect(texts()).toEqual([
      ['brake-engaged', 'the variable DORMOUSE_KILL_SWITCH'],
      ['brake-released', 'the variable DORMOUSE_KILL_SWITCH is gone'],
    ])
  })

  test('by a command, and not again by what engages it besides', async () => {
    const { open, texts } = await world({ killSwitchFile: file })
    const killSwitch = await open()
    await killSwitch.set(true, 'ann', at(0))
    await killSwitch.announce('ann')
    writeFileSync(file, '')
    await killSwitch.announce()
    rmSync(file)
    await killSwitch.announce()
    await killSwitch.set(false, 'bob', at(60))
    await killSwitch.announce('bob')
    expect(texts()).toEqual([
      ['brake-engaged', 'a command of ann'],
      ['brake-released', 'a command of bob'],
    ])
  })
})

test('the daemon looks for the file at each pass', async () => {
  await inWorld({ policy: 'mode: suggest', recommendations: [] }, async (daemon) => {
    Object.assign(daemon.config.changes, { killSwitchFile: file })
    const kinds = async () => (await daemon.events()).filter(({ brake }) => brake === 'kill_switch')
    await daemon.passes(120)
    writeFileSync(file, '')
    await daemon.passes(180)
    await daemon.restart()
    await daemon.passes(180)
    rmSync(file)
    await daemon.passes(180)
    expect(await kinds()).toMatchObject([
      { kind: 'brake-engaged', because: `the file ${file}` },
      { kind: 'brake-released', because: `the file ${file} is gone` },
    ])
  })
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
