import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Sink } from '../../model/output/message.ts'
import { failureCode } from './deadline.ts'

type FileOptions = Readonly<{
  /** Absolute, with `{account}` and `{slot}` in its file name. */
  path: string
  keep: number
}>

/** Readers see a whole file or none: it is synced under another name, then renamed. Never rejects. */
export const createFileSink =
  ({ path, keep }: FileOptions): Sink =>
  async ({ account, slot = 'now', attachments, text }) => {
    const folder = dirname(path)
    const template = basename(path).replaceAll('{account}', safe(account))
    const name = template.replaceAll('{slot}', safe(slot))
    const draft = join(folder, `.${name}.${randomUUID()}`)
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeDurably(draft, attachments[0]?.body ?? text)
      await rename(draft, join(folder, name))
      await syncFolder(folder)
      await removeOld(folder, template, keep)
      return { kind: 'delivered' }
    } catch (cause) {
      await rm(draft, { force: true }).catch(() => undefined)
      return { kind: 'retry', because: `could not be written: ${failureCode(cause)}` }
    }
  }

/** No name leaves the folder or is hidden. */
const safe = (text: string) => text.replaceAll(/[^\w-]/g, '_')

async function writeDurably(path: string, body: string) {
  await using file = await open(path, 'wx', 0o600)
  await file.writeFile(body)
  await file.sync()
}

async function syncFolder(folder: string) {
  await using opened = await open(folder, 'r')
  await opened.sync()
}

/** Week of a report, `2026-W47`, or one made by hand, `2026-W47-manual-1`. */
const SLOT = /^\d{4}-W\d\d(-manual-\d+)?$/

/** Removes old files of a template with `{slot}`, no others: names of accounts and receivers may end alike. Slots sort by time. */
async function removeOld(folder: string, template: string, keep: number) {
  const [begin = '', end] = template.split('{slot}')
  if (end === undefined) return
  const names = (await readdir(folder)).filter(
    (name) =>
      name.startsWith(begin) &&
      name.endsWith(end) &&
      SLOT.test(name.slice(begin.length, name.length - end.length)),
  )
  const old = names.toSorted().slice(0, Math.max(0, names.length - keep))
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })))
}
