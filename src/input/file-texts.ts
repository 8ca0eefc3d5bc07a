/** The bytes of files → their texts. Of a large file that was read before, only what has changed is decoded. */
import { isAscii } from "node:buffer";
import type { Source } from "./documents.js";
import type { TextEdit } from "./text-locator.js";

/** Its message is what the user reads. */
export class UnreadableError extends Error {}

/** Bytes. A smaller text is decoded as a whole, and its documents are looked up, in less time than a file takes to be opened. */
const LARGE = 2 ** 16;

const NEVER = (): boolean => false;

/** A large file as it was last read. */
interface KnownFile {
  readonly source: Source;
  /** Where its bytes are, and then anything. */
  readonly room: Buffer;
  readonly bytes: Buffer;
}

/**
 * Strings of 39 MB, of which a change needs some hundred characters, made V8 search the whole heap for garbage after every sixth change,
 * for more than a second; memory outside of the heap, with a new buffer for each change, after every second one.
 */
export class FileTexts {
  readonly #known = new Map<string, KnownFile>();
  /** Room that nothing uses, by its length: a small file must not keep the room of a large one. */
  readonly #free = new Map<number, Buffer>();

  /** A buffer for so many bytes, which `sourceOf` gets back. */
  room(size: number): Buffer {
    // A file that grows by a little finds room again.
    const length = Math.max(LARGE, 2 ** Math.ceil(Math.log2(size)));
    const free = this.#free.get(length);
    this.#free.delete(length);
    return free ?? Buffer.allocUnsafeSlow(length);
  }

  /**
   * The source of a file whose bytes are the first `length` ones in the room. `canEdit`: whether an edit may follow on the source that was
   * given last; absent: none will be asked for. Throws UnreadableError.
   */
  sourceOf(
    path: string,
    { room, length }: { readonly room: Buffer; readonly length: number },
    canEdit: (source: Source) => boolean = NEVER,
  ): Source {
    const bytes = room.subarray(0, length);
    const before = this.#known.get(path);
    this.#known.delete(path);
    const mayEdit = before !== undefined && canEdit(before.source);
    if (before !== undefined && isStill(before, bytes, mayEdit)) {
      this.#known.set(path, before);
      this.#release(room);
      return before.source;
    }
    const edit = mayEdit ? editOf(before, bytes) : undefined;
    const source = edit === undefined ? { path, text: textOf(bytes) } : { path, edit };
    if (canEdit === NEVER || length < LARGE || hasMark(bytes)) this.#release(room);
    else this.#keep(path, { source, room, bytes }, before);
    return source;
  }

  #keep(path: string, now: KnownFile, before: KnownFile | undefined): void {
    this.#known.set(path, now);
    if (before?.room.length === now.room.length) this.#release(before.room);
  }

  #release(room: Buffer): void {
    this.#free.set(room.length, room);
  }

  /** Forgets all other files. */
  keepOnly(paths: ReadonlySet<string>): void {
    for (const path of this.#known.keys()) if (!paths.has(path)) this.#known.delete(path);
  }
}

/** The byte order mark of UTF-8, which is no part of the text. */
function hasMark([first, second, third]: Buffer): boolean {
  return first === 0xef && second === 0xbb && third === 0xbf;
}

function textOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new UnreadableError("it is UTF-16; save it as UTF-8");
  }
  return decodeUtf8(bytes, false);
}

function decodeUtf8(bytes: Buffer, ignoreBOM: boolean): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM }).decode(bytes);
  } catch (error: unknown) {
    throw new UnreadableError("it is not UTF-8 text", { cause: error });
  }
}

/** An edit says nothing to whom it can't be an edit of what was read. */
function isStill({ source, bytes }: KnownFile, now: Buffer, mayEdit: boolean): boolean {
  return (mayEdit || "text" in source) && bytes.equals(now);
}

function editOf(before: KnownFile, bytes: Buffer): TextEdit | undefined {
  const shorter = Math.min(before.bytes.length, bytes.length);
  let start = commonLength(shorter, (at, length) =>
    isSameAt(before.bytes, bytes, [at, at], length),
  );
  while (start > 0 && (isWithinCharacter(before.bytes, start) || isWithinCharacter(bytes, start))) {
    start -= 1;
  }
  const [oldEnd, end] = [before.bytes.length, bytes.length];
  let tail = commonLength(shorter - start, (at, length) =>
    isSameAt(before.bytes, bytes, [oldEnd - at - length, end - at - length], length),
  );
  while (tail > 0 && isWithinCharacter(bytes, end - tail)) tail -= 1;
  // It may begin with the mark of an encoding.
  if (start === 0) return undefined;
  const first = charactersIn(bytes.subarray(0, start));
  return {
    start: first,
    end: first + charactersIn(before.bytes.subarray(start, oldEnd - tail)),
    text: decodeUtf8(bytes.subarray(start, end - tail), true),
  };
}

/** Bytes that are looked at at once. */
const BLOCK = 2 ** 16;

/** How many bytes two files have in common, at most `most`. `isSame`: whether so many bytes after so many others are. */
function commonLength(most: number, isSame: (at: number, length: number) => boolean): number {
  let [length, step] = [0, BLOCK];
  while (step >= 1) {
    if (length + step <= most && isSame(length, step)) length += step;
    else step /= 2;
  }
  return length;
}

function isSameAt(
  a: Buffer,
  b: Buffer,
  [inA, inB]: readonly [number, number],
  length: number,
): boolean {
  return a.compare(b, inB, inB + length, inA, inA + length) === 0;
}

/** Whether a byte is one that continues a character (RFC 3629). */
function isWithinCharacter(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  return byte !== undefined && unitsFrom(byte) === 0;
}

/** As strings count them: in UTF-16 units. Of a valid text; without making a string of it. */
function charactersIn(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += BLOCK) {
    const block = bytes.subarray(at, at + BLOCK);
    if (isAscii(block)) count += block.length;
    else for (const byte of block) count += unitsFrom(byte);
  }
  return count;
}

/** The units of the character that begins with this byte; 0 if none does. */
function unitsFrom(byte: number): number {
  if ((byte & 0xc0) === 0x80) return 0;
  return byte >= 0xf0 ? 2 : 1;
}
