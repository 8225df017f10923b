// The entry to the store: callers name no driver.
import type { Clock } from '../model/ports/clock.ts'
import type { OpenedStore, StoreReader } from './sqlite/embedded.ts'
import { openEmbeddedStore, readEmbeddedStore } from './sqlite/embedded.ts'

type StoreConfig = { readonly folder: string }

/** @throws as `openEmbeddedStore` does */
export const openStore = ({ folder }: StoreConfig, clock: Clock): OpenedStore =>
  openEmbeddedStore(folder, clock)

/** Also while a daemon uses it; undefined when there is none. @throws as `readEmbeddedStore` does */
export const readStore = ({ folder }: StoreConfig, clock: Clock): StoreReader | undefined =>
  readEmbeddedStore(folder, clock)
export type { StoreReader }
