import { X509Certificate, createPrivateKey } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { giveTo, replaceFile } from '../compute/files.ts'
import type { SystemUser } from '../compute/owner.ts'

/** The certificate of the proxy and of every server: one, so that channel binding holds through both. */
export type Certificate = Readonly<{
  /** PEM, self-signed: clients verify it with itself. */
  certificate: string
  key: string
  certificateFile: string
  keyFile: string
}>

type CertificateOptions = Readonly<{
  folder: string
  /** Computes are `ep-….SUFFIX`. */
  suffix: string
  owner: SystemUser | undefined
  clock: Clock
}>

const DAY = 86_400_000
/** ms: ten years, because nobody renews it by hand; a start in the last 30 days does. */
const VALIDITY = 3650 * DAY
const RENEWED_BEFORE_END = 30 * DAY

/** Made at the first start and after a change of the suffix. */
export async function ensureCertificate(options: CertificateOptions): Promise<Certificate> {
  const certificateFile = join(options.folder, 'certificate.pem')
  const keyFile = join(options.folder, 'key.pem')
  const files = { certificateFile, keyFile }
  if (!isUsable(files, options)) await createCertificate(files, options)
  return { ...files, certificate: readFileSync(certificateFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
}

type Files = Pick<Certificate, 'certificateFile' | 'keyFile'>

function isUsable({ certificateFile, keyFile }: Files, { suffix, clock }: CertificateOptions): boolean {
  try {
    const certificate = new X509Certificate(readFileSync(certificateFile))
    const names = certificate.subjectAltName?.split(', ') ?? []
    return (
      certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile))) &&
      names.includes(`DNS:*.${suffix}`) &&
      Date.parse(certificate.validTo) > clock.now() + RENEWED_BEFORE_END
    )
  } catch {
    return false // absent, incomplete or damaged
  }
}

async function createCertificate(files: Files, options: CertificateOptions): Promise<void> {
  const { folder, suffix, owner, clock } = options
  const generate = await loadGenerator()
  const generated = await generate([{ name: 'commonName', value: suffix }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256', // also the hash of channel binding
    notBeforeDate: new Date(clock.now() - DAY),
    notAfterDate: new Date(clock.now() + VALIDITY),
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
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o711) // the user of Postgres passes through
  replaceFile(files.keyFile, generated.private, 0o600)
  giveTo(owner, files.keyFile) // Postgres wants a key file of its own user or root
  replaceFile(files.certificateFile, generated.cert, 0o644)
}

/** Loaded here, because a daemon is installed without the package. */
async function loadGenerator() {
  try {
    return (await import('selfsigned')).generate
  } catch (cause) {
    throw new Error(
      'the local service makes its certificate with the package selfsigned, which is not installed: run "npm ci" without --omit=optional',
      { cause },
    )
  }
}
