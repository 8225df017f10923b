import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dormouse, localCli, words } from '../local-cli.ts'

let service: Awaited<ReturnType<typeof localCli>>
beforeAll(async () => {
  service = await localCli({ projects: [{ name: 'shop' }, { name: 'blog' }] })
})
afterAll(() => service[Symbol.asyncDispose]())

describe('projects list', () => {
  test('prints a table', async () => {
    const { code, out, err } = await service.cli('projects list')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ['PROJECT', 'NAME'],
      [expect.stringMatching(/^local-/), expect.any(String)],
      [expect.stringMatching(/^local-/), expect.any(String)],
      [''],
    ])
  })

  test('prints JSON', async () => {
    const { code, out } = await service.cli('projects list --json')
    expect(code).toBe(0)
    const { projects, problems } = JSON.parse(out)
    expect(problems).toEqual([])
    expect(projects.map(({ name }: { name: string }) => name).toSorted()).toEqual(['blog', 'shop'])
    expect(projects[0]).toMatchObject({
      project_id: expect.stringMatching(/^local-/),
      updated_at: expect.any(String),
    })
  })

  test('takes an account of the configuration', async () => {
    const { baseUrl, apiKey } = service.local
    const account = (name: string) =>
      `- { name: ${name}, base_url: "${baseUrl}", plan: launch, api_key_env: KEY }\n`
    const path = join(service.folder, 'dormouse.yaml')
    const at = { env: { KEY: apiKey }, cwd: service.folder }

    writeFileSync(path, `accounts:\n${account('one')}`)
    expect(await dormouse(words('projects list'), at)).toMatchObject({ code: 0, err: '' })

    writeFileSync(path, `accounts:\n${account('one')}${account('two')}`)
    expect(await dormouse(words('projects list'), at)).toEqual({
      code: 2,
      out: '',
      err: 'dormouse: --account: expected one of one, two\n',
    })
    const named = words(`projects list --config ${path} --account two`)
    expect(await dormouse(named, { env: { KEY: apiKey } })).toMatchObject({ code: 0, err: '' })
    expect(await dormouse(named)).toMatchObject({
      code: 2,
      err: 'dormouse: accounts[0].api_key_env: the variable is not set\ndormouse: accounts[1].api_key_env: the variable is not set\n',
    })
  })

  test('asks for those of an organisation', async () => {
    const { code, out } = await service.cli('projects list --json')
    expect(code).toBe(0)
    const [{ project_id: projectId }] = JSON.parse(out).projects
    const answer = await fetch(`${service.local.baseUrl}/projects/${projectId}`, {
      headers: { authorization: `Bearer ${service.local.apiKey}` },
    })
    const { project } = (await answer.json()) as { project: { org_id: string } }
    expect(await service.cli(`projects list --org-id ${project.org_id}`)).toMatchObject({ code: 0, err: '' })
    expect(await service.cli('projects list --org-id org-else')).toMatchObject({
      code: 1,
      err: expect.stringContaining('organization not found: org-else'),
    })
  })

  test('takes the key from a file', async () => {
    writeFileSync(join(service.folder, 'key'), `${service.local.apiKey}\n`)
    const line = words(`projects list --base-url ${service.local.baseUrl} --api-key-file key`)
    expect(await dormouse(line, { cwd: service.folder })).toMatchObject({ code: 0, err: '' })
  })

  test.each([
    ['--base-url URL', {}, 2, /DORMOUSE_API_KEY: the variable is not set/],
    ['--base-url URL --account main', {}, 2, /give either --base-url or --config/],
    ['--base-url http://127.0.0.1:1', { DORMOUSE_API_KEY: 'k' }, 2, /ends with \/api\/v2/],
    ['--api-key-file key', {}, 2, /--api-key-file goes with --base-url/],
    ['--org-id org-a', {}, 2, /--org-id goes with --base-url/],
    [
      '--base-url URL --org-id a/b',
      { DORMOUSE_API_KEY: 'k' },
      2,
      /Expected an id such as org-cool-name-12345678/,
    ],
    ['--config none.yaml', {}, 2, /none.yaml: cannot be read: there is no such file/],
    ['--base-url URL', { DORMOUSE_API_KEY: 'wrong' }, 1, /refuses the API key \(401\)/],
  ])('%s with %j ends with %s', async (options, env, code, err) => {
    const line = words(`projects list ${options.replace('URL', service.local.baseUrl)}`)
    const ended = await dormouse(line, { env })
    expect(ended).toEqual({ code, out: '', err: expect.stringMatching(err) })
    expect(ended.err).not.toContain('wrong key')
  })
})
