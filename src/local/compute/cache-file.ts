import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CacheModel, touchedSince, usedPages } from '../control/sizing/cache-model.ts'
import { CACHE_FILE } from './schema.ts'

/** Tells a server what its file cache has done so far; `cacheScale` pages of the service stand for one of the model. */
export function writeCacheFile(dataFolder: string, model: CacheModel, cacheScale: number): void {
  const hits = Math.floor(model.hits)
  const told = {
    hits,
    misses: Math.round(model.hits + model.misses) - hits,
    used_pages: Math.round(usedPages(model) * cacheScale),
    evicted_pages: Math.floor(model.evicted * cacheScale),
    touched: touchedSince(model).map(({ at, pages }) => [at / 1000, pages * cacheScale]),
  }
  const path = join(dataFolder, CACHE_FILE)
  writeFileSync(`${path}.new`, JSON.stringify(told))
  renameSync(`${path}.new`, path)
}
