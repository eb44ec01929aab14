import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('campaigns', '0001_the_story'),
    ]

    operations = [
        migrations.AddField(
            model_name='stateversion',
            name='base',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='+', to='campaigns.stateversion'),
        ),
        migrations.AddField(
            model_name='stateversion',
            name='chain',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddConstraint(
            model_name='stateversion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('base', None), ('chain', 0)), models.Q(('base__isnull', False), ('chain__gt', 0)), _connector='OR'), name='state_is_whole_or_a_difference'),
        ),
    ]
