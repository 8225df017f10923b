// Reports as they lie in the file: a fifth of their text, so that years of them fit.
import { promisify } from 'node:util'
import { gunzip, gzip, gzipSync } from 'node:zlib'
import type { Batch } from '../../model/ports.ts'
import type { KeptReport } from '../../model/output/report.ts'

export type PackedReport = KeptReport & { readonly body: Uint8Array }

export type Packed<Whole extends Pick<Batch, 'reports'>> = Omit<Whole, 'reports'> & {
  readonly reports: readonly PackedReport[]
}

// beside the event loop: that of a large fleet takes some tenths of a second
const [gzipBeside, gunzipBeside] = [promisify(gzip), promisify(gunzip)]

export async function packed<Whole extends Pick<Batch, 'reports'>>(whole: Whole): Promise<Packed<Whole>> {
  const reports = await Promise.all(
    whole.reports.map(async ({ json, ...head }) => ({ ...head, body: await gzipBeside(json) })),
  )
  return { ...whole, reports }
}

export const packedAtOnce = (text: string): Uint8Array => gzipSync(text)

export const unpacked = async (body: Uint8Array): Promise<string> => String(await gunzipBeside(body))
