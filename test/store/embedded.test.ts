import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Ledger } from '../../src/model/ledger.ts'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { accounted, type Accounted } from '../support/accounted.ts'
import { at, ledger, look, prices, sweep } from '../support/build.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dormouse-store-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const seen = (when: number): Accounted =>
  accounted(
    ledger(),
    sweep(when, {
      looks: [look(when, { startedAt: at(10), suspendedAt: at(70), lastActive: at(60) })],
    }),
    { prices, overhead: 0.01, now: at(when) },
  )

test('what was committed is there after the store was closed and opened again', async () => {
  const { ledger: known, batch } = seen(100)
  const store = openEmbeddedStore(folder)
  await store.commit(batch)
  await store.close()
  const again = openEmbeddedStore(folder)
  expect(JSON.stringify([...(await again.load('main')).computes])).toBe(JSON.stringify([...known.computes]))
  expect((await again.load('main')).projects).toEqual(known.projects)
  await again.close()
})

test('an account never seen has an empty ledger', async () => {
  const store = openEmbeddedStore(folder)
  expect(await store.load('other')).toEqual<Ledger>(ledger({ account: 'other' }))
  await store.close()
})

test('settled intervals are kept once, however often they are committed', async () => {
  const { batch } = seen(2000)
  expect(batch.settled).toHaveLength(1)
  const store = openEmbeddedStore(folder)
  await store.commit(batch)
  await store.commit(batch)
  await store.close()
  const rows = new DatabaseSync(join(folder, 'dormouse.sqlite')).prepare('select * from awake_interval').all()
  expect(rows).toMatchObject([{ account: 'main', endpoint_id: 'ep-one', from_ms: at(10.5), to_ms: at(70.5) }])
})

test('a second daemon on the folder is refused with the folder named', async () => {
  const store = openEmbeddedStore(folder)
  expect(() => openEmbeddedStore(folder)).toThrow(`the folder ${folder} is in use by another Dormouse`)
  await store.close()
  await openEmbeddedStore(folder).close()
})

test('a file of a newer version is refused and left as it is', () => {
  const file = join(folder, 'dormouse.sqlite')
  new DatabaseSync(file).exec('pragma user_version = 99')
  expect(() => openEmbeddedStore(folder)).toThrow(/schema version 99.*run the newer Dormouse/)
  expect(new DatabaseSync(file).prepare('pragma user_version').get()).toEqual({ user_version: 99 })
})

test('kill −9 in the middle of writing loses nothing that was acknowledged, and frees the folder', async () => {
  const script = join(folder, 'writer.ts')
  const source = join(import.meta.dirname, '../../src')
  writeFileSync(
    script,
    `import { openEmbeddedStore } from '${source}/store/embedded.ts'
     import { NO_READING_COUNTS } from '${source}/model/ledger.ts'
     const store = openEmbeddedStore('${folder}/data')
     for (let ok = 1; ; ok += 1) {
       await store.commit({ account: 'main', computes: [], projects: [], settled: [], readings: { ...NO_READING_COUNTS, ok } })
       process.stdout.write(ok + '\\n')
     }`,
  )
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let acknowledged = 0
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged = Number(line)
    if (acknowledged === 25) child.kill('SIGKILL')
  }
  if (child.signalCode === null) await once(child, 'exit')
  expect(acknowledged).toBeGreaterThanOrEqual(25)
  expect(existsSync(join(folder, 'data', 'dormouse.sqlite'))).toBe(true)
  const store = openEmbeddedStore(join(folder, 'data'))
  expect((await store.load('main')).readings.ok).toBeGreaterThanOrEqual(acknowledged)
  await store.close()
})
