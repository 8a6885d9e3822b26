// The bytes of a record as a worker shows them: text, or text in which bytes that are not printable are `\xff`.

import type { DeadRecord } from '../../api/types.ts';

export function bytesOf(record: DeadRecord): Uint8Array {
  if (record.value !== undefined) return new TextEncoder().encode(record.value);
  return unescapeHex(record.value_hex ?? '');
}

export function unescapeHex(text: string): Uint8Array {
  // Plain hexadecimal, without any escape.
  if (/^(?:[0-9a-f]{2})+$/i.test(text)) {
    return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
  }
  const bytes: number[] = [];
  for (let at = 0; at < text.length; ) {
    const escape = /^\\x([0-9a-f]{2})/i.exec(text.slice(at, at + 4));
    if (escape?.[1]) {
      bytes.push(parseInt(escape[1], 16));
      at += 4;
    } else {
      const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
      bytes.push(...new TextEncoder().encode(char));
      at += char.length;
    }
  }
  return Uint8Array.from(bytes);
}

// Sixteen bytes per line: offset, hexadecimal, and what is printable.
export function hexDump(bytes: Uint8Array, maxLines = 64): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length && lines.length < maxLines; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`);
  }
  if (bytes.length > maxLines * 16) lines.push('…');
  return lines.join('\n');
}
