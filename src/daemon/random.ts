import { randomUUID } from 'node:crypto'
import type { Random } from '../model/ports/clock.ts'

export const createRandom = (): Random => ({ unit: () => Math.random(), uuid: () => randomUUID() })
