import { X509Certificate, createPrivateKey } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import type { Clock } from '../clock.ts'
import type { SystemUser } from '../compute/owner.ts'

/** What the proxy and every server show to clients: one and the same, so that channel binding holds through both. */
export type Certificate = {
  /** PEM, signed by itself: also what clients verify it with. */
  readonly certificate: string
  readonly key: string
  readonly certificateFile: string
  readonly keyFile: string
}

export type CertificateOptions = {
  readonly folder: string
  /** Computes are named `ep-….SUFFIX`. */
  readonly suffix: string
  readonly owner: SystemUser | undefined
  readonly clock: Clock
}

const DAY = 86_400_000
/** Nobody renews it by hand: ten years, and a new one once the last month of them has begun. */
const LIFE = 3650 * DAY
const LAST_MONTH = 30 * DAY

/** The certificate of this data folder, made at the first start and whenever the suffix has changed. */
export async function keptCertificate(options: CertificateOptions): Promise<Certificate> {
  const [certificateFile, keyFile] = [
    join(options.folder, 'certificate.pem'),
    join(options.folder, 'key.pem'),
  ]
  if (!isUsable(certificateFile, keyFile, options)) await make({ certificateFile, keyFile }, options)
  return {
    certificate: readFileSync(certificateFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
    certificateFile,
    keyFile,
  }
}

function isUsable(
  certificateFile: string,
  keyFile: string,
  { suffix, clock }: Pick<CertificateOptions, 'suffix' | 'clock'>,
): boolean {
  if (!existsSync(certificateFile) || !existsSync(keyFile)) return false
  try {
    const known = new X509Certificate(readFileSync(certificateFile))
    const names = known.subjectAltName?.split(', ') ?? []
    return (
      known.checkPrivateKey(createPrivateKey(readFileSync(keyFile))) &&
      names.includes(`DNS:*.${suffix}`) &&
      Date.parse(known.validTo) > clock.now() + LAST_MONTH
    )
  } catch {
    return false // half written or damaged: a new pair costs clients no more than the damage did
  }
}

type Files = Pick<Certificate, 'certificateFile' | 'keyFile'>

async function make({ certificateFile, keyFile }: Files, options: CertificateOptions): Promise<void> {
  const { folder, suffix, owner, clock } = options
  const made = await generate([{ name: 'commonName', value: suffix }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256', // channel binding hashes with what the signature uses; everybody knows SHA-256
    notBeforeDate: new Date(clock.now() - DAY),
    notAfterDate: new Date(clock.now() + LIFE),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: `*.${suffix}` },
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  })
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  writeWhole(keyFile, made.private, 0o600)
  // Postgres takes a key only from its own user or from root
  if (owner) chownSync(keyFile, owner.uid, owner.gid)
  writeWhole(certificateFile, made.cert, 0o644)
}

/** Under its name only when complete: a kill in between leaves the former file. */
function writeWhole(path: string, text: string, mode: number): void {
  writeFileSync(`${path}.partial`, text, { mode })
  renameSync(`${path}.partial`, path)
}
