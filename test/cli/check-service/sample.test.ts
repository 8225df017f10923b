import { expect, test } from 'vitest'
import { dormouse, words } from '../local-cli.ts'
import { answers, faultyServer } from '../../service/faulty-server.ts'
import { project } from '../../service/records.ts'

const active = (minute: number) => new Date(Date.UTC(2026, 0, 5, 10, minute)).toISOString()

test('check-service looks at the projects that were active last and at some that rest', async () => {
  const projects = Array.from({ length: 20 }, (_, index) => ({
    ...project,
    id: `p-${index}`,
    // p-0 was active last; those from p-15 on never
    ...(index < 15 && { compute_last_active_at: active(59 - index) }),
    updated_at: active(0),
  }))
  await using server = await faultyServer((response, { url }) => {
    const isList = new URL(url, 'http://x').pathname.endsWith('/projects')
    answers(isList ? 200 : 404, { projects: isList ? projects.toReversed() : [] })(response)
  })
  await dormouse(words(`check-service --base-url ${server.baseUrl}`), { env: { DORMOUSE_API_KEY: 'k' } })
  const looked = server.requests.flatMap((line) => /projects\/(p-\d+)\/endpoints$/.exec(line)?.[1] ?? [])
  expect(new Set(looked)).toEqual(
    new Set(['p-0', 'p-1', 'p-2', 'p-3', 'p-4', 'p-5', 'p-6', 'p-15', 'p-16', 'p-17']),
  )
  expect(looked).toHaveLength(20) // each once more at the end
})
