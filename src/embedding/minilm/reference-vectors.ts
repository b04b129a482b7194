/** What all-MiniLM-L6-v2 makes of a few texts in single precision, to see whether a runtime computes it right. */

export interface ReferenceVector {
  readonly text: string;
  /** The direction of its vector: 384 signed bytes in base64, from the WebAssembly runner. */
  readonly vector: string;
}

/** Short and long, so that a batch of them is padded; with accents, ideographs and signs. */
export const REFERENCE_VECTORS: readonly ReferenceVector[] = [
  {
    text: 'What does she drink for breakfast?',
    vector:
      '8B0IH/MbMucM1eDUxfvw9CLrDgT54UE0JBQ17fDw+CQG/NkASRb6AwjhAvjuDf8QAwXV+9nnPgr48iku3g38GhPB3CXs+t4dJ+je+EH3GBnc' +
      'CxIr+RL3B+Ll2ujy+gwZ57P0Ghk2N/0GBQ0LFecS7Pv4+foR3Nb83wME9+/uDwDt4wkoIhcjDhf19vTTAQsK6SwIDA0CDxL58xH18gL/CgHu' +
      '+f8H6vQd/vEjCMn8ChwFBxbS8wfVBhntMQnw/94CBw8Bxv79CRgTFuEGIukE4jHjHSXlB90GGfzW8Rve6gAV0dIhI/cq9QrlA/QZ/BsKNywp' +
      '9dQKCvkQJS/lzwAW5fX6CwjXzOgPHg8YJgsW7QUIFg7TBhwH8+rsGuz9C/3+7QXS+/ftC/wdGuIq8+goBaz7C+724woSExUQ6wT8FwAQ9e4d' +
      '9+YL3Bf6Ahz89O0OHiHyIxbVKf8FBP8tKhUGGOb25OMS+9rs7dvt3t367PX7/uwfHxz89A3J6fQLJCvu',
  },
  {
    text: 'Deploy the service with the blue-green script, never on a Friday afternoon.',
    vector:
      '/P4J2Bvy+9fvBhEkEBcPDhzE//jj/vEF6fnv++X21APwCTYBDQUFFAr42w336wrwCfgN5/r+AyDzFhgD8gT8Hg0/7egH9eUaBP/nMCX7GOjg' +
      '9P9FGiQAHi0D+g0I9MAE5tX2Bhf0CO/13eoqA+byFBzxzz0DHvL+Nwfu1OgfNAAI6wz5KtUMDPz8GgLt0/LWGiMW6Rvd2OwzAyAIOQ8CF/8S' +
      'G+jg9/EFFOi+8Sn5JOkk/QsfD/ULIB/a/scs6vfjBdj3++fvK/Qq2/jUEw4WFBb13PchARsY7AfsAOX0+AD72ewdAeDwOAInICHVBPkh+jDx' +
      'NMsCHDf5Dg4e3Nfi/dDy/x8CBAIbC9Xa8M4EAN/rIe30Ev0HARHv5DU30PoF6O8OMRT4AfP0A+HlCuXUAP0J4Pzn4Q4HFAvs9v45+gD/BDoX' +
      'D+Yr6BMECuQIGfT/5+cB5Nj8NfUIHf8CGi7mFPvkx/TiAvQH+yzn9hIU0AYDCAX2BCce8TDwDhvf+Orw',
  },
  {
    text: 'Ångström, 東京 and the naïve café: 3.14 × 2 = 6.28!',
    vector:
      'Pg4cG/flAALr+CnF4PwL2ADfAgP21hEVSPMXBCn68y4r7BL2MNn3PvXxIhH/Dw0h8vz78fHzCv3iAxwxBerRFwjn1fDi6iEH9+jsAdvj/uoU' +
      '8f0a+eIH9A3YJBXhG94gBxv0HfsgCxcB7ugZ9RT15eAM8wUk6gYJ+gvwIdkyEAD+/g4J89rj6w4VBAYFCRsKEgbwGB0B9fvnGQfyBRUI8g8W' +
      'z+ML4QUSBgUC9yYnGN8y+Oco+Co9FREZFDUCLhsJ9gcD6PAR+hAsDfzc3QcDFssP9wfx7CTk+gHn/gP2wgD7AOj1ygwiJu8L5gY39RQCNhTf' +
      'Af3j4hzwCBLMxf7Q2g8H9fn85fEA+f0UGwEABg/d0SD12gb6AQEL/u8Y8vseEfn7AhUXEA/j++wLHRsg7PAgCfQSAhsFFBPYIrQCEgAZ+uQT' +
      'AOsCNOczC/74JfXjER3g8RUyGtPuBNAZAc4U0uwI/RfaA/r8zq7z8gkB/f39H88V//Y2z9Xg3ioO8LIO',
  },
  {
    text: 'The landlord agreed to repair the boiler before winter, provided that somebody is at home on Tuesday between nine and eleven, and that the invoice goes to the housing association instead of the tenants.',
    vector:
      '3QkzD+QJ8Pze+/Er5fsEAvL27eH5B90FJBPnFwgS6fQg7h0iFPj+ASUN9QX+PwTqICAJIvssDRsPFRwDHwzyIzfz+Ab1BycEBuMUIPAWA/IA' +
      'Ae0QDBYI/UYK/PAt6hgVKPcJKPf+2vjx9v8bBOX78CP1CeAB9/DPCf3z4vUXGAD9IgH+KPzv/vb9QCnq9NoPFzgFCP37HRDe6gwL9PgcBRIT' +
      'zfQH/NLt/xYZGRHy9+IL+egR6AEQ9ST9/9Mz5CMDC6/+ASHu8hjUCdH12u3zBgvWByzx8vEf+hf14hsGGgAD1v8L9/ri4A4p8/Xq8/oP+eX/' +
      '7gAH8CD2PgUCGefr6t4mDTIWINMQRO7pChbxAuT+Kxr3AAYeBh7mzRoSCjoMxA0C/CH2E9fXzxrzAgTs+dsA7kARxDwdGyP5Hffg+QDd8wQC' +
      'EasDDw0l7/Iw2+PwAffR9ujz8+XmxtsX7xXX/RLiB9c01PGw2AX48fzw6u/w+uUIDv/k5RPrIAzhDPHo',
  },
];
