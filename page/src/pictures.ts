/** Pictures that go with a request, made small enough for the daemon. */

export interface Picture {
  id: number;
  name: string;
  media_type: string;
  base64: string;
  /** Address of the preview; given back with `release`. */
  preview: string;
}

export const MAX_PICTURES = 4;
const TAKEN = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
/** Larger ones are drawn anew: a model sees no more in them, and the daemon takes 6 MiB for all. */
const LARGEST_BYTES = 1_000_000;
const LONGEST_SIDE = 1600;
let made = 0;

async function base64(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (let from = 0; from < bytes.length; from += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  }
  return btoa(text);
}

async function smaller(file: Blob): Promise<Blob> {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, LONGEST_SIDE / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return await new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/jpeg', 0.85),
  );
}

/** Reads a file; fails when it is no picture. */
export async function picture(file: File): Promise<Picture> {
  const fits = TAKEN.includes(file.type) && file.size <= LARGEST_BYTES;
  const blob = fits ? file : await smaller(file);
  // Decoded once, so that what is no picture is refused here and not after it was sent.
  if (fits) (await createImageBitmap(blob)).close();
  made += 1;
  return {
    id: made,
    name: file.name,
    media_type: blob.type,
    base64: await base64(blob),
    preview: URL.createObjectURL(blob),
  };
}

export function release(picture: Picture): void {
  URL.revokeObjectURL(picture.preview);
}
