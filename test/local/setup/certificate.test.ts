import { X509Certificate } from 'node:crypto'
import { statSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ensureCertificate } from '../../../src/local/setup/certificate.ts'
import { createClock } from '../../../src/local/clock.ts'
import { freshFolder } from '../support.ts'

const clock = createClock()

test('a folder gets one certificate, which names this machine and every compute', async () => {
  const options = { folder: freshFolder(), suffix: 'local.localhost', owner: undefined, clock }
  const made = await ensureCertificate(options)
  expect(await ensureCertificate(options)).toEqual(made)
  const certificate = new X509Certificate(made.certificate)
  expect(certificate.subjectAltName).toBe(
    'DNS:*.local.localhost, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  )
  expect(certificate.checkHost('ep-a.local.localhost')).toBe('*.local.localhost')
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
  expect(statSync(made.keyFile).mode & 0o777).toBe(0o600)
})

test.each([
  ['the suffix changed', { suffix: 'db.example' }, undefined],
  ['it is about to end', { clock: { ...clock, now: () => Date.now() + 3640 * 86_400_000 } }, undefined],
  ['it is damaged', {}, 'certificate.pem'],
  ['its key belongs to another', {}, 'key.pem'],
])('a new certificate is created when %s', async (_, change, damaged) => {
  const options = { folder: freshFolder(), suffix: 'local.localhost', owner: undefined, clock }
  const made = await ensureCertificate(options)
  if (damaged) writeFileSync(`${options.folder}/${damaged}`, 'nothing of the kind')
  const renewed = await ensureCertificate({ ...options, ...change })
  expect(renewed.certificate).not.toBe(made.certificate)
})
