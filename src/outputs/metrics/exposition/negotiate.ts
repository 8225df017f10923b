// Source: RFC 9110, 12.4 and 12.5.
import type { ExpositionFormat } from './format.ts'

type Choice = Readonly<{ name: string; version: string | undefined; quality: number }>

/** OpenMetrics when listed by name and preferred at least as much as text. */
export function negotiateFormat(accept: string | undefined): ExpositionFormat {
  const choices = choicesOf(accept)
  const listed = choices.filter(
    ({ name, version = '1.0.0' }) => name === 'application/openmetrics-text' && version === '1.0.0',
  )
  const best = Math.max(0, ...listed.map(({ quality }) => quality))
  return best > 0 && best >= qualityOf(choices, ['text/plain', 'text/*', '*/*']) ? 'openmetrics' : 'text'
}

export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  const choices = choicesOf(acceptEncoding)
  const gzip = qualityOf(choices, ['gzip', 'x-gzip', '*'])
  return gzip > 0 && gzip >= qualityOf(choices, ['identity'])
}

/** The first of `names` that is listed; 0 when none is. */
function qualityOf(choices: readonly Choice[], names: readonly string[]) {
  const listed = names.flatMap((name) => choices.find((choice) => choice.name === name) ?? [])
  return listed[0]?.quality ?? 0
}

const choicesOf = (header = ''): readonly Choice[] =>
  header.split(',').flatMap((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    if (name === '') return []
    const of = (key: string) => parameters.find((text) => text.startsWith(`${key}=`))?.slice(key.length + 1)
    return [{ name, version: of('version')?.replaceAll('"', ''), quality: parseQuality(of('q')) }]
  })

/** 0 for what is not a number from 0 to 1. */
function parseQuality(text = '1') {
  const value = Number(text)
  return value >= 0 && value <= 1 ? value : 0
}
