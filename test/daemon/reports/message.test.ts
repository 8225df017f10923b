import { expect, test } from 'vitest'
import { createApiApp } from '../../../src/daemon/http/app.ts'
import { reportMessage, type ReportReceiver } from '../../../src/daemon/reports/message.ts'
import type { ReportSource } from '../../../src/daemon/reports/build.ts'
import type { StoredReport } from '../../../src/model/output/report.ts'
import { FLEETS, inputOf, told } from '../../outputs/report/fleets.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { NO_PAGES } from '../../support/no-pages.ts'

const report = told(inputOf(FLEETS.busy))
const stored: StoredReport = {
  account: 'main',
  slot: { id: '2026-W47', from: at(0), to: at(7 * 86_400), late: true },
  madeAt: at(8 * 86_400),
  json: JSON.stringify(report),
}
const messageTo = (recipient: Omit<ReportReceiver, 'sink'>) =>
  reportMessage(stored, { sink: 'boss', ...recipient }, fakeClock())

test('the key is of account, week and receiver, and the subject says that it is late', async () => {
  const { key, subject, slot } = await messageTo({ type: 'webhook', format: 'json' })
  expect([key, subject, slot]).toEqual([
    'main/2026-W47/boss',
    'Dormouse report 2026-W47, account main (late)',
    '2026-W47',
  ])
})

test('a webhook gets the stored JSON, or the text of another format with its name', async () => {
  expect((await messageTo({ type: 'webhook', format: 'json' })).body).toBe(stored.json)
  expect((await messageTo({ type: 'webhook', format: 'markdown' })).body).toMatchObject({
    slot: '2026-W47',
    format: 'markdown',
    content: expect.stringMatching(/^# Report/),
  })
})

test.each([
  ['html', 'dormouse-main-2026-W47.html', 'text/html'],
  ['csv', 'dormouse-main-2026-W47.csv', 'text/csv'],
  ['json', 'dormouse-main-2026-W47.json', 'application/json'],
] as const)('a mail has text and HTML, and with the format %s the file %s', async (format, name, type) => {
  const { text, html, attachments } = await messageTo({ type: 'smtp', format })
  expect(text).toContain('Report')
  expect(html).toMatch(/^<!doctype html>/i)
  expect(html).not.toContain('<svg')
  expect(attachments.map((one) => [one.name, one.type.split(';')[0]])).toEqual([[name, type]])
  expect(attachments.some(({ body }) => body.includes('<svg'))).toBe(format === 'html')
})

test('a mail with format text has no attachment', async () => {
  expect((await messageTo({ type: 'smtp', format: 'text' })).attachments).toEqual([])
})

test('a file is the format, a message of Slack its blocks', async () => {
  expect((await messageTo({ type: 'file', format: 'markdown' })).attachments[0]?.body).toMatch(/^# Report/)
  expect((await messageTo({ type: 'slack', format: 'slack' })).slack).toMatchObject({
    blocks: expect.arrayContaining([expect.objectContaining({ type: 'header' })]),
  })
})

test('the report of a team names the team, and the address decides the channel', async () => {
  const part = told(inputOf({ ...FLEETS.busy, plan: { onlyTeam: 'web' } }))
  const kept = { ...stored, team: 'web', json: JSON.stringify(part) }
  const message = await reportMessage(kept, { sink: 'chat', type: 'slack', format: 'slack' }, fakeClock())
  expect(message.subject).toBe('Dormouse report 2026-W47, account main, team web (late)')
  expect(message.key).toBe('main/2026-W47/chat')
  expect(message.slack).not.toHaveProperty('channel')
})

/** An API with nothing to show. */
const appWith = (
  sendReport?: (account: string) => Promise<string | undefined>,
  accounts: readonly string[] = ['main'],
) =>
  createApiApp({
    snapshot: () => undefined,
    history: NO_HISTORY,
    accounts: () => [],
    ...NO_PAGES,
    clock: fakeClock(),
    reports: () => new Map(accounts.map((account) => [account, {} as ReportSource])),
    sender: () => sendReport,
  })

test('the API sends the report of the last week when there is a receiver', async () => {
  const asked: string[] = []
  const send = (account: string) => {
    asked.push(account)
    return Promise.resolve(asked.length > 1 ? undefined : '2026-W47-manual-1')
  }
  const statusOf = async (app: ReturnType<typeof appWith>, query = '') => {
    const answer = await app.request(`/api/v1/report/send${query}`, { method: 'POST' })
    return [answer.status, await answer.json()]
  }
  const app = appWith(send)
  expect(await statusOf(app)).toEqual([202, { account: 'main', slot: '2026-W47-manual-1' }])
  expect((await statusOf(app, '?account=other'))[0]).toBe(400)
  expect((await statusOf(app, '?account=main'))[0]).toBe(429)
  expect((await statusOf(appWith()))[0]).toBe(409)
  expect(asked).toEqual(['main', 'main'])
})

test('the API sends the report of no account that nobody named, where there are several', async () => {
  const asked: string[] = []
  const send = (account: string) => {
    asked.push(account)
    return Promise.resolve('2026-W47-manual-1')
  }
  const app = appWith(send, ['main', 'other'])
  const statusOf = async (query: string) => {
    const answer = await app.request(`/api/v1/report/send${query}`, { method: 'POST' })
    return [answer.status, await answer.json()]
  }
  expect(await statusOf('')).toEqual([400, { message: 'account: expected one of main, other' }])
  expect(await statusOf('?account=nobody')).toEqual([
    400,
    { message: 'account: expected one of main, other, got nobody' },
  ])
  expect(await statusOf('?account=other')).toEqual([202, { account: 'other', slot: '2026-W47-manual-1' }])
  expect(asked).toEqual(['other'])
})
