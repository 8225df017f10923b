// TLS certificate of the API.
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { TlsFiles } from '../../config/sections/server.ts'

/** In PEM. */
export type CertificatePair = { readonly cert: string; readonly key: string }

/** @throws with both files when one cannot be read, or the key is not that of the certificate */
export function readCertificatePair({ certFile, keyFile }: TlsFiles): CertificatePair {
  try {
    const pair = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') }
    createSecureContext(pair)
    return pair
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`server.tls: ${certFile} and ${keyFile} cannot be used: ${reason}`, { cause })
  }
}

export const isSameCertificate = (a: CertificatePair, b: CertificatePair): boolean =>
  a.cert === b.cert && a.key === b.key
