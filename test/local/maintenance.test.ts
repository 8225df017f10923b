// The maintenance window of a project, and updates that are announced, over real Postgres.
import { describe, expect, test } from 'vitest'
import type { Local } from '../../src/local/start.ts'
import { type Answered, call, connected, quickLocal, query, subject, until } from './support.ts'

const WINDOW = { weekdays: [2, 7], start_time: '22:30', end_time: '01:00' }

const settingsOf = async (local: Local, projectId: string): Promise<unknown> =>
  (await call(local, `GET /projects/${projectId}`)).body.project.settings

const control = (local: Local, maintenanceScheduledFor: unknown): Promise<Response> =>
  fetch(`${new URL(local.baseUrl).origin}/_control`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ maintenanceScheduledFor }),
  })

const inSeconds = (seconds: number): string => new Date(Date.now() + 1000 * seconds).toISOString()

/** `maintenance_scheduled_for` of the project's record. */
async function announcedFor(local: Local, projectId: string): Promise<unknown> {
  const { project } = (await call(local, `GET /projects/${projectId}`)).body
  return 'maintenance_scheduled_for' in project ? project.maintenance_scheduled_for : undefined
}

describe('the maintenance window of a project', () => {
  test('is set at the creation or later, shown by record and list, and kept by other changes', async () => {
    const local = await quickLocal({ projects: [] })
    const made = await call(local, 'POST /projects', {
      body: { project: { name: 'shop', settings: { maintenance_window: WINDOW } } },
    })
    const { id } = made.body.project
    expect(await settingsOf(local, id)).toEqual({ quota: {}, maintenance_window: WINDOW })
    const patch = (project: unknown): Promise<Answered> =>
      call(local, `PATCH /projects/${id}`, { body: { project } })
    const later = { weekdays: [1], start_time: '00:00', end_time: '06:00' }
    await patch({ settings: { maintenance_window: later } })
    await patch({ name: 'shop two' })
    const [listed] = (await call(local, 'GET /projects')).body.projects
    expect(listed).toMatchObject({ name: 'shop two', settings: { maintenance_window: later } })
    const refused = [
      [{ ...WINDOW, weekdays: [0] }, 'weekdays'],
      [{ ...WINDOW, weekdays: [] }, 'weekdays'],
      [{ ...WINDOW, end_time: '24:30' }, 'end_time'],
      [{ ...WINDOW, start_time: '1:00' }, 'start_time'],
      [{ ...WINDOW, end_time: WINDOW.start_time }, 'equal'],
      [{ start_time: '01:00', end_time: '02:00' }, 'weekdays'],
    ] as const
    for (const [maintenance_window, path] of refused) {
      const answer = await patch({ settings: { maintenance_window } })
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(path)])
    }
    expect(await settingsOf(local, id)).toEqual({ quota: {}, maintenance_window: later })
  })
})

describe('an announced update', () => {
  test('is shown, restarts the awake computes that were not started since, and is gone', async () => {
    const projects = ['shop', 'fresh'].map((name) => ({ name, suspendTimeoutSeconds: -1 }))
    const local = await quickLocal({ projects })
    const [shop, fresh] = [await subject(local, 'shop'), await subject(local, 'fresh')]
    await Promise.all([shop.settled('active'), fresh.settled('active')])
    const session = await connected(shop.uri)
    const dropped = new Promise((resolve) => void session.once('end', resolve))
    const far = inSeconds(86_400)
    await control(local, { [shop.projectId]: far, [fresh.projectId]: far })
    expect(await announcedFor(local, shop.projectId)).toBe(`${far.slice(0, 19)}Z`)
    await call(local, `POST ${fresh.path}/suspend`)
    await fresh.settled('idle')
    await query(fresh.uri, 'select 1')
    await control(local, { [shop.projectId]: null })
    expect(await announcedFor(local, shop.projectId)).toBeUndefined()
    expect(shop.truth().stops).toEqual([])
    await control(local, { [shop.projectId]: inSeconds(1) })
    await dropped
    await until('it serves again', () => shop.truth().wakes.length === 2)
    expect(shop.truth().stops).toMatchObject([{ why: 'maintenance', open: 1, working: 0 }])
    expect(shop.truth().wakes.at(-1)).toMatchObject({ cause: 'maintenance' })
    expect(shop.truth().mutations.map(({ action }) => action)).toEqual(['create'])
    expect(await announcedFor(local, shop.projectId)).toBeUndefined()
    expect(fresh.truth().stops.map(({ why }) => why)).toEqual(['suspend-call'])
  })

  test('of an unknown project, or at no instant, is refused', async () => {
    const local = await quickLocal({ projects: [] })
    expect((await control(local, { 'local-none': '2026-01-01T00:00:00Z' })).status).toBe(404)
    const { id } = (await call(local, 'POST /projects', { body: { project: {} } })).body.project
    expect((await control(local, { [id]: 'tomorrow' })).status).toBe(400)
    expect(await announcedFor(local, id)).toBeUndefined()
  })
})
