// A folder with a configuration and a store that a daemon left.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryFolder } from '../support/folder.ts'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { dormouse, words } from './local-cli.ts'
import { put, type Rows } from '../support/writes.ts'

type Kept = AsyncDisposable & {
  readonly folder: string
  /** Runs `dormouse text` in the folder, where `dormouse.yaml` is. */
  readonly cli: (text: string) => ReturnType<typeof dormouse>
}

/** @param api the address the configuration gives the daemon */
export async function keptBy(commits: readonly Partial<Rows>[], api = '127.0.0.1:1'): Promise<Kept> {
  const folder = memoryFolder('dormouse-kept-')
  writeFileSync(
    join(folder, 'dormouse.yaml'),
    `accounts: [{ name: main, base_url: "http://127.0.0.1:1/api/v2", plan: launch, api_key_env: KEY }]
store: { folder: ./data }
server: { api: "${api}" }
`,
  )
  if (commits.length > 0) {
    const store = openEmbeddedStore(join(folder, 'data'), fakeClock())
    for (const rows of commits) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await put(store, rows)
    }
    await store.close()
  }
  return {
    folder,
    cli: (text) => dormouse(words(text), { env: { KEY: 'secret' }, cwd: folder }),
    [Symbol.asyncDispose]: () => {
      rmSync(folder, { recursive: true })
      return Promise.resolve()
    },
  }
}
