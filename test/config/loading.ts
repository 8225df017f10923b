// Configurations out of text, in a folder that each test has for itself.
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { loadWithSource } from '../../src/config/load.ts'
import { ok } from '../../src/std/result.ts'
import { environmentOf } from '../support/secrets.ts'

export const folder = join(tmpdir(), `dormouse-config-${randomUUID()}`)

/** Makes the folder, with a key in it, until the running test ends. */
export function makeConfigFolder(): void {
  if (existsSync(folder)) return
  mkdirSync(folder)
  writeFileSync(join(folder, 'key'), ' file-key \n')
  onTestFinished(() => rmSync(folder, { recursive: true }))
}

const ENV = { KEY: 'env-key', PASSWORD: 'secret-word' }

export const load = (text: string, env: Record<string, string> = ENV) => configOf(loadAll(text, env))

export const loadConfig = (...given: Parameters<typeof loadWithSource>) => configOf(loadWithSource(...given))

const configOf = (loaded: ReturnType<typeof loadWithSource>) => (loaded.ok ? ok(loaded.value.config) : loaded)

/** With what the file says. */
export function loadAll(text: string, env: Record<string, string> = ENV) {
  makeConfigFolder()
  const path = join(folder, 'dormouse.yaml')
  writeFileSync(path, text)
  return loadWithSource(path, environmentOf(env))
}

export function problemsOf(text: string, env: Record<string, string> = ENV): readonly string[] {
  const loaded = load(text, env)
  return loaded.ok ? [] : loaded.error
}

export const ACCOUNT = `
accounts:
  - name: main
    base_url: https://console.example.com/api/v2/
    plan: launch
`
export const GOOD = `${ACCOUNT}    api_key_env: KEY\n`
