"""References of the sets of distributions and pictures, for :mod:`truehue.storage.checks`."""

from __future__ import annotations

REFERENCES = (
    (
        "the distribution {} is of the set {}, which is not stored",
        """
        SELECT place, set_id
        FROM distribution_rows ANTI JOIN distribution_sets USING (set_id)
        ORDER BY set_id, place
        """,
    ),
    (
        "the set of distributions {} has none",
        """
        SELECT set_id
        FROM distribution_sets ANTI JOIN distribution_rows USING (set_id)
        ORDER BY set_id
        """,
    ),
    (
        "the image {} is of the set of images {}, which is not stored",
        """
        SELECT place, set_id
        FROM picture_set_images ANTI JOIN picture_sets USING (set_id)
        ORDER BY set_id, place
        """,
    ),
    (
        "the set of images {} has none",
        """
        SELECT set_id
        FROM picture_sets ANTI JOIN picture_set_images USING (set_id)
        ORDER BY set_id
        """,
    ),
    (
        "the set of images {} has the image {}, which is not stored",
        """
        SELECT DISTINCT set_id, image_id
        FROM picture_set_images ANTI JOIN images USING (image_id)
        ORDER BY set_id, image_id
        """,
    ),
    (
        "the set of images {} has the mask {}, which is not stored for that image",
        """
        SELECT set_id, mask_id
        FROM picture_set_images ANTI JOIN masks USING (mask_id, image_id)
        ORDER BY set_id, mask_id
        """,
    ),
    (
        "colors were measured in the mask {} of the image {}, which is not stored for that image",
        """
        SELECT DISTINCT mask_id, image_id
        FROM picture_profiles ANTI JOIN masks USING (mask_id, image_id)
        ORDER BY mask_id
        """,
    ),
    (
        "the set {} has no name",
        """
        SELECT set_id
        FROM (SELECT set_id FROM distribution_sets UNION ALL SELECT set_id FROM picture_sets)
            ANTI JOIN set_views USING (set_id)
        ORDER BY set_id
        """,
    ),
    (
        "version {} of a name is of the set {}, which is not stored",
        """
        SELECT version, set_id
        FROM set_views ANTI JOIN (
            SELECT set_id FROM distribution_sets UNION ALL SELECT set_id FROM picture_sets
        ) USING (set_id)
        ORDER BY set_id, version
        """,
    ),
)
