import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { defaultYaml, withDefaults } from '../../src/config/defaults.ts'
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts'
import { loadConfig } from './loading.ts'
import { environmentOf } from '../support/secrets.ts'

const DEFAULT = join(import.meta.dirname, '../../config/default.yaml')

test('the default configuration can be loaded and says nothing but defaults', () => {
  expect(loadConfig(DEFAULT, environmentOf({ DORMOUSE_API_KEY: 'k' }))).toMatchObject({
    ok: true,
    value: { mode: 'suggest' },
  })
  const whole = parse(defaultYaml())
  expect(withDefaults(whole)).toEqual(withDefaults({ accounts: whole.accounts }))
})

test('every key has a meaning', () => {
  const bare = (schema: JsonSchema, path: string): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([key, property]) => [
      ...(property.description ? [] : [`${path}${key}`]),
      ...bare(property, `${path}${key}.`),
      ...bare(property.items ?? {}, `${path}${key}[].`),
    ])
  expect(bare(configJsonSchema(), '')).toEqual([])
})

test('each key that is commented out is there with a value', () => {
  expect(defaultYaml().match(/^ *# *$/gm)).toBeNull()
})

test('what is left out is filled in, what is given stays', () => {
  const given = {
    mode: 'off',
    poll: { interval: '5s' },
    accounts: [{ name: 'a', api_key_file: '/key', projects: ['p'] }, { name: 'b' }],
  }
  expect(withDefaults(given)).toMatchObject({
    mode: 'off',
    poll: { interval: '5s', max_age: '15m' },
    accounts: [
      { name: 'a', api_key_file: '/key', projects: ['p'] },
      { name: 'b', projects: 'discover' },
    ],
    log: { level: 'info' },
  })
})

test('a long answer stays on its line', () => {
  const projects = Array.from({ length: 40 }, (_, index) => `project-number-${index}`)
  expect(parse(defaultYaml({ projects, api_key_file: '/a path/of many words/'.repeat(9) }))).toMatchObject({
    accounts: [{ projects, api_key_file: '/a path/of many words/'.repeat(9) }],
  })
})

test('answers take the place of examples; one that is undefined is commented out', () => {
  const text = defaultYaml({
    base_url: 'http://127.0.0.1:1/api/v2',
    projects: ['a', 'b'],
    api_key_env: undefined,
  })
  expect(parse(text)).toMatchObject({
    accounts: [{ base_url: 'http://127.0.0.1:1/api/v2', projects: ['a', 'b'] }],
  })
  expect(text).toContain('    # api_key_env: DORMOUSE_API_KEY\n')
})
